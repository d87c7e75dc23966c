// Package json reads and writes certificates: derivations (package proof) as JSON. What comes in is a
// derivation, whose terms stand in a store, or the bytes of a certificate; what goes out is the other.
// It never decides whether a step is right. [Certificate.Decode] builds all terms anew, through the
// constructors that check types, and bounds what a certificate may hold, so that no bytes exhaust
// memory or end the program.
package json
