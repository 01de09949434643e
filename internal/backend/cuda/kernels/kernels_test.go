package kernels

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cresset/internal/ptx"
)

// TestEveryModuleIsWhole wants each module's text, for the target that was promised, with the kernels that the index names.
func TestEveryModuleIsWhole(t *testing.T) {
	entry := regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		name, kernels := words[0], words[3:]
		target, version := strings.TrimPrefix(words[1], "sm_"), strings.TrimPrefix(words[2], "ptx")
		text, err := Text(name)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, want := range []string{".version " + version[:1] + "." + version[1:] + "\n", ".target sm_" + target + "\n", ".address_size 64\n"} {
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
	target := regexp.MustCompile(`(?m)^// target: (.*)$`)
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
			needs := "sm_60 ptx70"
			if m := target.FindSubmatch(text); m != nil {
				needs = string(m[1])
			}
			want = append(want, strings.TrimSuffix(source, ".cu")+"_"+dt+" "+needs)
		}
	}
	var got []string
	for line := range strings.Lines(list) {
		got = append(got, strings.Join(strings.Fields(line)[:3], " "))
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("modules %v, want %v: run make ptx", got, want)
	}
}

// TestEveryNameIsOfOneKernel: a variant has a name of its own.
func TestEveryNameIsOfOneKernel(t *testing.T) {
	in := map[string]string{}
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		for _, kernel := range words[3:] {
			if in[kernel] != "" {
				t.Errorf("%s is a kernel of %s and of %s", kernel, in[kernel], words[0])
			}
			in[kernel] = words[0]
		}
	}
}

// TestTargets holds the rules of targets to a list of GPUs and drivers: cuda of a driver gives the version of PTX.
func TestTargets(t *testing.T) {
	for _, tc := range []struct {
		target string
		want   string // which of devices take it
	}{
		{"sm_60 ptx70", "6.1@70 6.1@74 7.5@70 8.0@74 8.6@84 8.9@84 9.0@78 9.0@80 9.0@90 10.0@86 10.0@90 10.3@88 12.0@87 12.0@90"},
		{"sm_75 ptx70", "7.5@70 8.0@74 8.6@84 8.9@84 9.0@78 9.0@80 9.0@90 10.0@86 10.0@90 10.3@88 12.0@87 12.0@90"},
		{"sm_80 ptx74", "8.0@74 8.6@84 8.9@84 9.0@78 9.0@80 9.0@90 10.0@86 10.0@90 10.3@88 12.0@87 12.0@90"},
		{"sm_89 ptx84", "8.9@84 9.0@90 10.0@86 10.0@90 10.3@88 12.0@87 12.0@90"},
		{"sm_90 ptx80", "9.0@80 9.0@90 10.0@86 10.0@90 10.3@88 12.0@87 12.0@90"},
		{"sm_90a ptx80", "9.0@80 9.0@90"},
		{"sm_100f ptx88", "10.0@90 10.3@88"},
		{"sm_120a ptx87", "12.0@87 12.0@90"},
	} {
		target := targetOf(strings.Fields(tc.target)[0], strings.Fields(tc.target)[1])
		if target.String() != tc.target {
			t.Errorf("%s is read as %v", tc.target, target)
		}
		var got []string
		for _, device := range strings.Fields("6.1@70 6.1@74 7.5@70 8.0@74 8.6@84 8.9@84 9.0@78 9.0@80 9.0@90 10.0@86 10.0@90 10.3@88 12.0@87 12.0@90") {
			var major, minor, ptx int
			fmt.Sscanf(device, "%d.%d@%d", &major, &minor, &ptx)
			if target.RunsOn(10*major+minor, ptx) {
				got = append(got, device)
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: runs on %v, want %s", tc.target, got, tc.want)
		}
	}
}

// modules are all that hold kernels.
func modules() map[string]module {
	all := map[string]module{}
	for _, in := range index() {
		all[in.name] = in
	}
	return all
}

// TestOnly wants of each module what each kernel needs, by the text of a kernel that stands in it whole.
func TestOnly(t *testing.T) {
	for _, m := range modules() {
		text, err := Text(m.name)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for name, in := range index() {
			if in.name == m.name {
				names = append(names, name)
			}
		}
		head, _, _ := strings.Cut(string(text), ".visible .entry")
		for _, name := range names {
			alone, ok := Only(text, name)
			got := string(alone)
			if !ok || strings.Count(got, ".visible .entry") != 1 || !strings.Contains(got, ".visible .entry "+name+"(") || !strings.HasPrefix(got, head) {
				t.Errorf("%s: %t, %d bytes", name, ok, len(alone))
			}
			_, body, _ := strings.Cut(string(text), ".visible .entry "+name+"(")
			body, _, _ = strings.Cut(body, "\n}\n")
			if !strings.Contains(got, body) {
				t.Errorf("%s: its body is not whole", name)
			}
			if name == names[0] {
				if parsed, err := ptx.Parse(name, got); err != nil || len(parsed.Kernels) != 1 {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if _, ok := Only(text, "nothing"); ok {
			t.Error("found a kernel that is not there")
		}
	}
}

func TestModuleOf(t *testing.T) {
	if got, ok := ModuleOf("add_f32"); got != "arithmetic_f32" || !ok {
		t.Errorf("add_f32: got %q, %v", got, ok)
	}
	if got, ok := TargetOf("add_f32"); got.String() != "sm_60 ptx70" || !ok {
		t.Errorf("add_f32: got %v, %v", got, ok)
	}
	if got, ok := TargetOf("tan_f16"); ok {
		t.Errorf("tan_f16: got %v, want none", got)
	}
	if got, ok := ModuleOf("tan_f16"); ok {
		t.Errorf("tan_f16: got %q, want none", got)
	}
	if _, err := Text("nowhere_f32"); err == nil || !strings.Contains(err.Error(), "nowhere_f32") {
		t.Errorf("got %v, want an error that names the module", err)
	}
}
