// Package protocol is the codec of the batch protocol: one JSON object a line
// in, one a line out. It knows the shape of requests and answers and nothing of
// what they ask for; package frechet answers them.
//
// A request is decoded strictly: an unknown field, a wrong type, an unknown
// word in `want` is an error of kind "request", never a guess. A field whose
// value is null counts as absent. Of duplicate keys the last one counts.
//
// JSON has no numbers that are not finite, so both directions write them as the
// strings "NaN", "Infinity" and "-Infinity".
package protocol
