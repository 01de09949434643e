package cuda

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/internal/driver"
)

// compiler is a fake driver that compiles: its code is CODE and the text.
type compiler struct {
	*fakeDriver
	links, texts, codes int
	broken              bool // it does not link
	refuses             bool // it takes no code
}

func newCompiler() *compiler {
	c := &compiler{fakeDriver: newFakeDriver()}
	a := &c.api
	a.Simulated, a.Release = false, "580.95.05"
	var text []byte
	a.LinkCreate = func(driver.Context) (driver.Link, driver.Result) {
		if c.broken {
			return 0, driver.ErrNotSupported
		}
		c.links++
		return 1, driver.Success
	}
	a.LinkAddPTX = func(_ driver.Context, _ driver.Link, t []byte, _ string) driver.Result {
		text = bytes.Clone(t)
		return driver.Success
	}
	a.LinkComplete = func(driver.Context, driver.Link) ([]byte, driver.Result) {
		return append([]byte("CODE"), text...), driver.Success
	}
	a.LinkDestroy = func(driver.Context, driver.Link) driver.Result { c.links--; return driver.Success }
	a.ModuleLoadData = func(_ driver.Context, image []byte, _ *driver.JIT) (driver.Module, driver.Result) {
		switch {
		case !bytes.HasPrefix(image, []byte("CODE")):
			c.texts++
		case c.refuses || !bytes.HasPrefix(image[4:], []byte("//")):
			return 0, driver.ErrInvalidImage
		default:
			c.codes++
		}
		return 1, driver.Success
	}
	return c
}

// use loads a kernel on a device that is started anew, and returns what that device counted.
func (c *compiler) use(t *testing.T) JITTimes {
	t.Helper()
	d := c.device(t)
	if _, err := d.function(kernel("add_f32")); err != nil {
		t.Fatal(err)
	}
	if c.links != 0 {
		t.Errorf("%d links are left", c.links)
	}
	return d.modules.times
}

// inCache returns the one file of the cache in dir.
func inCache(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "cresset", "cubin", "580.95.05-cuda12000-sm_88", "*"))
	if err != nil || len(files) != 1 || !strings.HasPrefix(filepath.Base(files[0]), "add_f32-") {
		t.Fatalf("got the files %v, %v", files, err)
	}
	return files[0]
}

func TestCodeIsKept(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	c := newCompiler()
	if got := c.use(t); got.Compiled != 1 || got.Read != 0 || c.codes != 1 || c.texts != 0 {
		t.Errorf("the first use: %+v, %d codes, %d texts", got, c.codes, c.texts)
	}
	if got := c.use(t); got.Compiled != 0 || got.Read != 1 || c.codes != 2 || c.texts != 0 {
		t.Errorf("the second use: %+v, %d codes, %d texts", got, c.codes, c.texts)
	}
	file := inCache(t, dir)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	for name, content := range map[string][]byte{
		"empty": {}, "cut off": whole[:len(whole)-1], "a head alone": whole[:48], "flipped": flipped, "another's": []byte("hello"), "more": append(whole, 0),
	} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := c.use(t); got.Compiled != 1 {
			t.Errorf("a file that is %s was read", name)
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, whole) {
			t.Errorf("a file that is %s was not replaced", name)
		}
	}
	c.refuses = true // as a driver of another kind would
	if got := c.use(t); got.Compiled != 1 || c.texts != 1 {
		t.Errorf("code that is refused: %+v, %d texts", got, c.texts)
	}
}

// TestKernelNamedAsItsModule loads softmax_f32 of the module softmax_f32 by itself, and then another kernel of that module: the code of the
// first must not be taken for that of all.
func TestKernelNamedAsItsModule(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	c := newCompiler()
	var image []byte
	load := c.api.ModuleLoadData
	c.api.ModuleLoadData = func(ctx driver.Context, code []byte, jit *driver.JIT) (driver.Module, driver.Result) {
		image = bytes.Clone(code)
		return load(ctx, code, jit)
	}
	c.api.ModuleGetFunction = func(_ driver.Context, _ driver.Module, name string) (driver.Function, driver.Result) {
		if !bytes.Contains(image, []byte(".entry "+name+"(")) {
			return 0, driver.ErrNotFound
		}
		return 1, driver.Success
	}
	for range 2 { // compiled, then read
		d := c.device(t)
		for _, name := range []string{"softmax_f32", "log_softmax_f32", "softmax_grad_f32"} {
			if _, err := d.function(kernel(name)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestRunsWithoutCache: whatever keeps code from being read or written, kernels run.
func TestRunsWithoutCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("a file is in the way", func(t *testing.T) {
		t.Setenv("XDG_CACHE_HOME", file)
		c := newCompiler()
		if got := c.use(t); got.Compiled != 1 {
			t.Errorf("got %+v", got)
		}
		if r, err := c.device(t).LoadAll(); err != nil || r.Problem == nil {
			t.Errorf("the report names no problem: %+v, %v", r, err)
		}
	})
	for name, set := range map[string]func(){
		"no home":       func() { t.Setenv("XDG_CACHE_HOME", ""); t.Setenv("HOME", "") },
		"switched off":  func() { t.Setenv("CUDA_CACHE_DISABLE", "1") },
		"a folder's in": func() { t.Setenv("CUDA_CACHE_DISABLE", ""); t.Setenv("XDG_CACHE_HOME", t.TempDir()) },
	} {
		set()
		c := newCompiler()
		if name == "a folder's in" {
			c.use(t)
			at := inCache(t, os.Getenv("XDG_CACHE_HOME"))
			if os.Remove(at) != nil || os.MkdirAll(filepath.Join(at, "x"), 0o700) != nil {
				t.Fatal("no folder in place of the file")
			}
		}
		if got := c.use(t); got.Compiled != 1 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	c := newCompiler()
	c.broken = true
	if got := c.use(t); got.Compiled != 1 || c.texts != 1 {
		t.Errorf("a driver that does not link: %+v, %d texts", got, c.texts)
	}
}

// TestLoadAll: every module that the device takes is loaded, and what is left of other programs goes.
func TestLoadAll(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	c := newCompiler()
	c.use(t)
	folder := filepath.Dir(inCache(t, dir))
	old := filepath.Join(folder, "removed_f32-0123456789abcdef.cubin")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := c.device(t).LoadAll()
	if err != nil || first.Read != 0 || first.Compiled < 100 || first.Dir != folder || first.Problem != nil || len(first.Refused) != 0 {
		t.Errorf("got %+v, %v", first, err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("what no module is made of is still there")
	}
	again, err := c.device(t).LoadAll()
	if err != nil || again.Compiled != 0 || again.Read != first.Compiled {
		t.Errorf("again: got %+v, %v", again, err)
	}
	if got := c.use(t); got.Read != 1 || got.Compiled != 0 {
		t.Errorf("a kernel of a module that is kept whole: got %+v", got)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) != again.Read {
		t.Errorf("%d files, %d modules", len(files), again.Read)
	}
}

// TestSimulatedGPUsKeepNothing: what the simulator runs is the text.
func TestSimulatedGPUsKeepNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	m, _ := simulated(t, nil)
	if _, err := program(m); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("got %v", files)
	}
}
