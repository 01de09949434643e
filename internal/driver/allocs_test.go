//go:build !nocuda && !race

package driver

import (
	"fmt"
	"testing"
)

// The race detector is left out: with it sync.Pool drops values at random.
func TestHotCallsDoNotAllocate(t *testing.T) {
	api := load(t)
	params, data := []byte("param"), []byte("hello")
	for name, f := range map[string]func() Result{
		"launch":   func() Result { return launch(api, params) },
		"copy in":  func() Result { return api.MemcpyHtoDAsync(ctx, 8, data, stream) },
		"copy out": func() Result { return api.MemcpyDtoHAsync(ctx, data, 8, stream) },
		"alloc":    func() Result { _, r := api.MemAlloc(ctx, 1); return r },
		"record":   func() Result { return api.EventRecord(ctx, event, stream) },
	} {
		if got := testing.AllocsPerRun(500, func() {
			if r := f(); r != Success {
				panic(fmt.Sprint(name, ": ", r))
			}
		}); got >= 1 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
}
