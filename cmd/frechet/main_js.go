package main

import (
	"context"
	"encoding/json"
	"syscall/js"

	"github.com/spf13/cobra"
)

// In a browser there is no command line: the function frechet(name, question) gives a promise of an answer, both in JSON.
func main() {
	limits := newApp(streams{}).serviceLimits(&cobra.Command{})
	js.Global().Set("frechet", js.FuncOf(func(_ js.Value, args []js.Value) any {
		name, text := args[0].String(), args[1].String()
		var done js.Func
		done = js.FuncOf(func(_ js.Value, settle []js.Value) any {
			go func() {
				out, _ := json.Marshal(answerText(context.Background(), limits, name, []byte(text)))
				settle[0].Invoke(string(out))
				done.Release()
			}()
			return nil
		})
		return js.Global().Get("Promise").New(done)
	}))
	select {}
}
