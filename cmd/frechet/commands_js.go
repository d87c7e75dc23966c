package main

import "github.com/spf13/cobra"

// serviceCommands: in a browser the page asks, and nothing is served.
func (a *app) serviceCommands() []*cobra.Command { return nil }
