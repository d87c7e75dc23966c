package frechet_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"frechet"
)

func ExampleReplay() {
	f, err := frechet.Parse("declare p[n] expression sum(p .* log(p))")
	if err != nil {
		log.Fatal(err)
	}
	d, err := f.Steps("p")
	if err != nil {
		log.Fatal(err)
	}
	var proof bytes.Buffer
	if err := d.Certificate(&proof); err != nil {
		log.Fatal(err)
	}
	sum, err := frechet.Replay(context.Background(), &proof)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Parts, "parts, valid")
	// Output: 5 parts, valid
}
