package cuda

import (
	"bytes"
	"testing"

	"cresset/internal/driver"
)

// TestKernelsAreCompiledAlone loads kernels of one module, one of which has the module's name: each is given to the driver without the others, once.
// A driver that refuses what was cut out is given the module.
func TestKernelsAreCompiledAlone(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		c := newFakeDriver()
		c.api.Simulated = false
		texts := map[driver.Module][]byte{}
		c.api.ModuleLoadData = func(_ driver.Context, text []byte, _ *driver.JIT) (driver.Module, driver.Result) {
			if refuses && bytes.Count(text, []byte(".visible .entry")) == 1 {
				return 0, driver.ErrInvalidPTX
			}
			m := driver.Module(len(texts) + 1)
			texts[m] = bytes.Clone(text)
			return m, driver.Success
		}
		c.api.ModuleGetFunction = func(_ driver.Context, m driver.Module, name string) (driver.Function, driver.Result) {
			if !bytes.Contains(texts[m], []byte(".entry "+name+"(")) {
				return 0, driver.ErrNotFound
			}
			return 1, driver.Success
		}
		d := c.device(t)
		for _, name := range []string{"softmax_f32", "log_softmax_f32", "softmax_grad_f32", "softmax_f32"} {
			if _, err := d.function(kernel(name)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		want := map[bool]int{false: 3, true: 1}[refuses]
		if got := d.Times().Loaded; got != want || len(texts) != want {
			t.Errorf("%d texts were loaded, and %d counted, want %d", len(texts), got, want)
		}
	}
}
