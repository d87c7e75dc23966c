//go:build !js

package main

import "github.com/spf13/cobra"

// serviceCommands are the commands that go on answering: a session, a page, a protocol.
func (a *app) serviceCommands() []*cobra.Command {
	return []*cobra.Command{a.replCommand(), a.serveCommand(), a.mcpCommand(), a.lspCommand()}
}
