package main

import (
	_ "embed"
	"fmt"

	"github.com/spf13/cobra"
)

// licences has the licences of all that the programs are made of; a test writes it.
//
//go:embed licences.txt
var licences string

func (a *app) licencesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "licences",
		Aliases: []string{"licenses"},
		Short:   "Print the licences of all that is in this program",
		Example: "  frechet licences",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.out, licences)
			return err
		},
	}
}
