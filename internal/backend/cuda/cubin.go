package cuda

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cresset/internal/driver"
)

// cubinCache keeps what the driver's compiler has made of modules in files, so that a program's first use of a kernel reads instead of
// compiling. A file that cannot be read or written, or is not whole, is as good as none.
type cubinCache struct {
	dir string // of one driver and compute capability
	err error  // why there is none, or a file could not be kept
}

// CacheDir returns where code for GPUs is kept: the folder cresset/cubin of XDG_CACHE_HOME or what the system has in its place. The driver's
// own variables switch it off as they do the driver's cache.
func CacheDir() (string, error) {
	for _, name := range []string{"CUDA_CACHE_DISABLE", "CUDA_FORCE_PTX_JIT"} {
		if os.Getenv(name) == "1" {
			return "", fmt.Errorf("%s=1", name)
		}
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "cresset", "cubin"), nil
}

var (
	errNoLinker  = errors.New("the driver compiles in one step alone")
	errSimulated = errors.New("simulated GPUs run the text")
)

// openCache says where a device's code is kept. Simulated GPUs compile nothing.
func openCache(api *driver.API, p *Properties) (c cubinCache) {
	if api.Simulated {
		return cubinCache{err: errSimulated}
	}
	if api.LinkCreate == nil || api.LinkAddPTX == nil || api.LinkComplete == nil || api.LinkDestroy == nil {
		return cubinCache{err: errNoLinker}
	}
	version, _ := api.DriverGetVersion()
	c.dir, c.err = CacheDir()
	if c.err == nil {
		c.dir = filepath.Join(c.dir, fmt.Sprintf("%s-cuda%d-sm_%d%d", cmp.Or(api.Release, "driver"), version, p.Major, p.Minor))
	}
	return c
}

// entirely stands for all kernels of a module, some of which are called as a kernel: softmax_f32.
const entirely = ""

// file names the code of one of a module's kernels, or of the module: another text has another name. It is empty where nothing is kept.
func (t *moduleTable) file(module, kernel string) string {
	if t.cache.dir == "" {
		return ""
	}
	packed, err := t.packed(module)
	if err != nil {
		return ""
	}
	if kernel == entirely {
		kernel = "all." + module
	}
	hash := sha256.Sum256(packed)
	return filepath.Join(t.cache.dir, fmt.Sprintf("%s-%x.cubin", kernel, hash[:8]))
}

// has reports whether there is a file, whole or not.
func (c *cubinCache) has(file string) bool {
	if file == "" {
		return false
	}
	_, err := os.Stat(file)
	return err == nil
}

// cubinMark begins a file. A hash of the code follows, and the code.
const cubinMark = "cresset cubin 1\n"

// read returns what was kept, nil where there is nothing that is whole.
func (c *cubinCache) read(file string) []byte {
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	rest, ok := bytes.CutPrefix(data, []byte(cubinMark))
	if !ok || len(rest) <= sha256.Size {
		return nil
	}
	if hash := sha256.Sum256(rest[sha256.Size:]); !bytes.Equal(hash[:], rest[:sha256.Size]) {
		return nil
	}
	return rest[sha256.Size:]
}

// keep writes a file beside its place and moves it there, so that others see all of it or nothing.
func (c *cubinCache) keep(file string, cubin []byte) {
	if file == "" {
		return
	}
	c.err = func() error {
		if err := os.MkdirAll(c.dir, 0o700); err != nil {
			return err
		}
		part, err := os.CreateTemp(c.dir, ".new-*")
		if err != nil {
			return err
		}
		hash := sha256.Sum256(cubin)
		_, err = part.Write(append(append([]byte(cubinMark), hash[:]...), cubin...))
		if err = errors.Join(err, part.Close()); err == nil {
			err = os.Rename(part.Name(), file)
		}
		if err != nil {
			os.Remove(part.Name())
		}
		return err
	}()
}

// prune removes the code of modules that this program does not have, as an older one may have left behind, and what a program that
// was killed has not finished.
func (c *cubinCache) prune(files map[string]bool) {
	if c.dir == "" {
		return
	}
	_ = filepath.WalkDir(c.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || files[path] {
			return nil
		}
		if info, err := e.Info(); err == nil && (strings.HasSuffix(path, ".cubin") || time.Since(info.ModTime()) > time.Hour) {
			_ = os.Remove(path) // it stays, then
		}
		return nil
	})
}

// loadCode gives code of a name to the driver: as it was kept in a file, as it is made of the text and kept now, or the text itself where
// neither works. The result is the driver's for the text.
func (d *Device) loadCode(name, file string, textOf func() ([]byte, error), jit *driver.JIT) (m driver.Module, r driver.Result, err error) {
	start, t := time.Now(), &d.modules
	if cubin := t.cache.read(file); cubin != nil {
		if m, r = d.api.ModuleLoadData(d.ctx, cubin, nil); r == driver.Success {
			t.times.Read++
			t.times.Reading += time.Since(start)
			return m, r, nil
		}
	}
	text, err := textOf()
	if err != nil {
		return 0, r, err
	}
	if file != "" {
		if cubin := d.compile(name, text); len(cubin) > 0 {
			if m, r = d.api.ModuleLoadData(d.ctx, cubin, nil); r == driver.Success {
				t.times.compiled(start)
				t.cache.keep(file, cubin)
				return m, r, nil
			}
		}
	}
	if m, r = d.api.ModuleLoadData(d.ctx, text, jit); r == driver.Success {
		t.times.compiled(start)
	}
	return m, r, nil
}

// compile makes code for the GPU of a module's text, nil where the driver does not. Why not, it says again when it is given the text.
func (d *Device) compile(name string, text []byte) []byte {
	l, r := d.api.LinkCreate(d.ctx)
	if r != driver.Success {
		return nil
	}
	defer d.api.LinkDestroy(d.ctx, l) // the code has been copied, or there is none
	if d.api.LinkAddPTX(d.ctx, l, text, name) != driver.Success {
		return nil
	}
	cubin, r := d.api.LinkComplete(d.ctx, l)
	if r != driver.Success {
		return nil
	}
	return cubin
}

// JITTimes counts the modules of a device that were loaded, those of one kernel among them, and how long that took.
type JITTimes struct {
	Compiled, Read     int // by the driver's compiler; from the cache
	Compiling, Reading time.Duration
}

func (t *JITTimes) compiled(start time.Time) {
	t.Compiled++
	t.Compiling += time.Since(start)
}

// JITReport tells what loading every module took.
type JITReport struct {
	JITTimes
	Dir     string // where code is kept; empty where it is not
	Problem error  // why it is not
	Refused []Refusal
}

// LoadAll loads every module that the device takes, and so fills the cache.
func (d *Device) LoadAll() (r JITReport, err error) {
	if err := d.start(); err != nil {
		return r, err
	}
	m := &d.modules
	m.mu.Lock()
	defer m.mu.Unlock()
	files := map[string]bool{}
	for _, module := range m.modules() {
		if !module.Target.RunsOn(10*d.properties.Major+d.properties.Minor, d.properties.PTX) {
			continue
		}
		files[m.file(module.Name, entirely)] = true
		if _, err := d.module(module.Name); err != nil {
			e, ok := errors.AsType[*ModuleError](err)
			if !ok || !refuses(e) {
				return r, err
			}
			r.Refused = append(r.Refused, Refusal{Module: e.Module, Reason: e.reason()})
		}
	}
	m.cache.prune(files)
	r.JITTimes, r.Dir, r.Problem = m.times, m.cache.dir, m.cache.err
	return r, nil
}

// Times returns what loading modules has taken so far.
func (d *Device) Times() JITTimes {
	d.modules.mu.Lock()
	defer d.modules.mu.Unlock()
	return d.modules.times
}
