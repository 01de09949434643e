package sim

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

func TestModules(t *testing.T) {
	b := start(t, "t4", 2)
	other := b.retain(1)
	jit := &driver.JIT{Name: "fake", Errors: "of the last time"}
	m, r := b.api.ModuleLoadData(b.ctx, []byte(text), jit)
	b.ok(r)
	if jit.Errors != "" || !strings.Contains(jit.Info, "ptxas info") || !strings.Contains(jit.Info, "sm_75") {
		t.Errorf("logs: got %q, %q", jit.Info, jit.Errors)
	}
	_, r = b.api.ModuleGetFunction(b.ctx, m, "touch")
	b.ok(r)
	_, r = b.api.ModuleGetFunction(b.ctx, m, "tuch")
	b.want(driver.ErrNotFound, r)
	b.explained(`no kernel "tuch"`)
	_, r = b.api.ModuleGetFunction(other, m, "touch")
	b.want(driver.ErrInvalidHandle, r)
}

func TestModulesThatAreRefused(t *testing.T) {
	gtx, err := hardware.Preset("gtx1050", 1) // sm_61, CUDA 11.4
	if err != nil {
		t.Fatal(err)
	}
	b := startMachine(t, gtx, Options{Compile: CompilePTX})
	const kernel = ".address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"
	for _, tc := range []struct {
		name, image string
		want        driver.Result
		log         string
	}{
		{"sound", ".version 7.4\n.target sm_60\n" + kernel, driver.Success, ""},
		{"nothing", "", driver.ErrInvalidImage, "ptxas fatal"},
		{"binary", "\x7fELF\x00\x00", driver.ErrInvalidImage, "ptxas fatal"},
		{"prose", "hello", driver.ErrInvalidPTX, "no .version"},
		{"newer PTX", ".version 7.5\n.target sm_60\n" + kernel, driver.ErrUnsupportedPTXVersion, "Unsupported .version 7.5; current version is '7.4'"},
		{"newer GPU", ".version 7.0\n.target sm_80\n" + kernel, driver.ErrInvalidPTX, "sm_80 is higher than the device's sm_61"},
		{"another GPU's", ".version 7.0\n.target sm_60a\n" + kernel, driver.ErrInvalidPTX, "sm_60a"},
		{"unknown opcode", ".version 7.0\n.target sm_60\n" + strings.Replace(kernel, "ret", "fly", 1), driver.ErrInvalidPTX, "ptx input, line 6; error   : "},
	} {
		jit := &driver.JIT{Name: tc.name}
		_, r := b.api.ModuleLoadData(b.ctx, []byte(tc.image), jit)
		if r != tc.want || !strings.Contains(jit.Errors, tc.log) || (r == driver.Success) != (jit.Errors == "") {
			t.Errorf("%s: got %v, log %q, want %v, %q", tc.name, r, jit.Errors, tc.want, tc.log)
		}
	}
	b.ok(b.api.CtxSynchronize(b.ctx)) // a module that is refused harms nothing
}

// TestTargets: a GPU takes the code of older ones, and of its own kind alone where the target says so.
func TestTargets(t *testing.T) {
	presets := map[string]string{"6.1": "gtx1070", "7.5": "t4", "8.0": "a100", "8.9": "rtx4090", "9.0": "h200", "10.0": "b200", "12.0": "rtx5090"}
	for target, want := range map[string]string{
		"sm_60": "6.1 7.5 8.0 8.9 9.0 10.0 12.0", "sm_75": "7.5 8.0 8.9 9.0 10.0 12.0", "sm_80": "8.0 8.9 9.0 10.0 12.0", "sm_89": "8.9 9.0 10.0 12.0",
		"sm_90": "9.0 10.0 12.0", "sm_90a": "9.0", "sm_100f": "10.0", "sm_103f": "", "sm_120f": "12.0", "sm_121": "",
	} {
		var got []string
		for _, capability := range slices.Sorted(maps.Keys(presets)) {
			b := start(t, presets[capability], 1)
			if _, r := b.api.ModuleLoadData(b.ctx, []byte(".version 7.0\n.target "+target+"\n"), nil); r == driver.Success {
				got = append(got, capability)
			}
		}
		want := strings.Fields(want)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: taken by %v, want %v", target, got, want)
		}
	}
}

// TestModulesAreReadOnce: drivers share what they have read of the same text while one of them uses it, and it goes with the last.
func TestModulesAreReadOnce(t *testing.T) {
	const text = ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry shared()\n{\n\tret;\n}\n"
	m, err := parsed("shared", text)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := parsed("shared", text); again != m || err != nil {
		t.Errorf("got another module, %v", err)
	}
	if other, err := parsed("other", text); other == m || err != nil {
		t.Errorf("got the module of another name, %v", err)
	}
	runtime.KeepAlive(m)
	for _, name := range []string{"shared", "other"} {
		forgotten := func() bool {
			images.Lock()
			defer images.Unlock()
			_, kept := images.modules[image{name, text}]
			return !kept
		}
		for !forgotten() {
			runtime.GC()
		}
	}
}
