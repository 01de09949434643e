package kernels

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryModuleIsWhole wants each module's text, for the target that was promised, with the kernels that the index names.
func TestEveryModuleIsWhole(t *testing.T) {
	entry := regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		name, kernels := words[0], words[1:]
		text, err := Text(name)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, want := range []string{".version 7.0\n", ".target sm_60\n", ".address_size 64\n"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no line %q", name, want)
			}
		}
		var got []string
		for _, e := range entry.FindAllStringSubmatch(string(text), -1) {
			got = append(got, e[1])
		}
		if !slices.Equal(got, kernels) {
			t.Errorf("%s: kernels %v, the index has %v", name, got, kernels)
		}
		if n := strings.Count(string(text), "_param_0"); n == 0 || strings.Contains(string(text), "_param_1") {
			t.Errorf("%s: a kernel does not take exactly one parameter", name)
		}
		for _, local := range []string{".local", "call"} {
			if strings.Contains(string(text), local) {
				t.Errorf("%s: has %q: a kernel spills or calls", name, local)
			}
		}
	}
}

// TestEverySourceIsCompiled wants a module for each dtype that a source names, and no other.
func TestEverySourceIsCompiled(t *testing.T) {
	sources, err := filepath.Glob("*.cu")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	dtypes := regexp.MustCompile(`(?m)^// dtypes: (.*)$`)
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		m := dtypes.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s names no dtypes", source)
			continue
		}
		for dt := range strings.FieldsSeq(string(m[1])) {
			want = append(want, strings.TrimSuffix(source, ".cu")+"_"+dt)
		}
	}
	var got []string
	for line := range strings.Lines(list) {
		got = append(got, strings.Fields(line)[0])
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("modules %v, want %v: run make ptx", got, want)
	}
}

func TestModuleOf(t *testing.T) {
	if got, ok := ModuleOf("add_f32"); got != "arithmetic_f32" || !ok {
		t.Errorf("add_f32: got %q, %v", got, ok)
	}
	if got, ok := ModuleOf("add_f16"); ok {
		t.Errorf("add_f16: got %q, want none", got)
	}
	if _, err := Text("nowhere_f32"); err == nil || !strings.Contains(err.Error(), "nowhere_f32") {
		t.Errorf("got %v, want an error that names the module", err)
	}
}
