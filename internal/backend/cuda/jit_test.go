package cuda

import (
	"bytes"
	"runtime"
	"sync"
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

// TestKernelsAreCompiledSeveralAtATime: a driver whose first two loads wait for each other gets both, each kernel is loaded once, and one that it refuses is named.
func TestKernelsAreCompiledSeveralAtATime(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	c := newFakeDriver()
	c.api.Simulated = false
	var mu sync.Mutex
	var meet sync.WaitGroup
	meet.Add(2)
	calls, texts, refused := 0, map[string]int{}, []byte(".entry add_f32(")
	c.api.ModuleLoadData = func(_ driver.Context, text []byte, _ *driver.JIT) (driver.Module, driver.Result) {
		mu.Lock()
		calls++
		early := calls <= 2
		texts[string(text)]++
		mu.Unlock()
		if early {
			meet.Done()
			meet.Wait()
		}
		if bytes.Contains(text, refused) {
			return 0, driver.ErrInvalidPTX
		}
		return 1, driver.Success
	}
	c.api.ModuleGetFunction = func(driver.Context, driver.Module, string) (driver.Function, driver.Result) { return 1, driver.Success }
	r, err := c.device(t).LoadAll()
	if err != nil {
		t.Fatal(err)
	}
	if r.Loaded < 1000 || len(r.Refused) != 1 || r.Refused[0].Module != "arithmetic_f32" {
		t.Errorf("%d kernels were loaded, and refused: %+v", r.Loaded, r.Refused)
	}
	for text, n := range texts {
		if n > 1 && !bytes.Contains([]byte(text), refused) {
			t.Errorf("loaded %d times: %.80s", n, text)
		}
	}
}
