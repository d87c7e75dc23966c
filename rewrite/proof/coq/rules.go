package coq

// ruleTactics are the tactics of the prelude by the rules of whose steps they prove the equalities.
var ruleTactics = map[string]string{}
