package coq

import "frechet/rewrite/proof"

// Changed prints a derivation and reads what change makes of the file back.
func Changed(d *proof.Derivation, rules *proof.Rules, change func(string) string) error {
	_, _, err := printedAs(d, rules, false, change)
	return err
}
