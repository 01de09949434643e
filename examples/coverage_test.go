package examples

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// torchList says of each name of PyTorch what stands for it.
const torchList = "../docs/torch.txt"

// coverage is what docs/torch.txt says of a module of PyTorch.
type coverage struct {
	module   string
	names    []string          // all that PyTorch 2.15 has, from testdata/torch215.txt
	composed map[string]string // a line of Go by name
	absent   map[string]string // a reason by name
	present  map[string]string // Go's name by name
}

// homes are the packages that have the functions of a module of PyTorch. A name there is spelled without regard to case and
// underscores, and a constructor has New in front.
var homes = map[string][]string{
	"torch":                    {"tensor", "linalg", "dtype"},
	"torch.linalg":             {"linalg", "tensor"},
	"torch.nn":                 {"nn"},
	"torch.nn.functional":      {"tensor", "nn"},
	"torch.nn.init":            {"nn/nninit"},
	"torch.optim":              {"optim"},
	"torch.optim.lr_scheduler": {"optim"},
	"torch.utils.data":         {"data"},
	"torch.Tensor":             {"tensor"},
	"torch.nn.Module":          {"nn"},
}

// namesakes are names of which something else in Go has the name: an option, layers, a package, a function that reads numbers out.
var namesakes = []string{"torch.gradient", "torch.Tensor.data", "torch.Tensor.values", "torch.nn.functional.softmin", "torch.nn.functional.upsample"}

// TestEveryNameOfPyTorchHasAPlace wants each name of PyTorch 2.15 present, composed by a line of Go, or absent for a reason. What is
// present is found in the sources; -update writes what is not there yet, and the counts of docs/pytorch.md.
func TestEveryNameOfPyTorchHasAPlace(t *testing.T) {
	list := read(t, torchList)
	counts := []string{"module | names | present | composed | absent", "---|---|---|---|---"}
	head, _, _ := strings.Cut(list, "\n\n")
	lines := []string{head}
	for _, c := range coverages(t) {
		public, shown := publicNames(t, homes[c.module])
		lines = append(lines, "")
		for _, name := range c.names {
			line, composed := c.composed[name]
			why, absent := c.absent[name]
			here := public[spelled(name)]
			if c.module == "torch.Tensor" && strings.HasSuffix(name, "_") {
				here = public[spelled(name)+"inplace"]
			}
			full := c.module + "." + name
			switch {
			case composed && here != "" && !slices.Contains(namesakes, full):
				t.Errorf("%s is there now: its line of docs/torch.txt goes, and so do its rows in scripts/composed_torch.py and %s", full, composedGolden)
			case absent && here != "" && !slices.Contains(namesakes, full):
				t.Errorf("%s is said to be absent, but is there", full)
			case !composed && !absent && here == "":
				t.Errorf("%s is neither present nor composed nor absent", full)
			case composed:
				lines = append(lines, full+": composed, "+line)
			case absent:
				lines = append(lines, full+": absent, "+why)
			case shown[c.present[name]]:
				lines = append(lines, full+": "+c.present[name])
			default:
				lines = append(lines, full+": "+here)
			}
		}
		for _, told := range []map[string]string{c.composed, c.absent, c.present} {
			for name := range told {
				if !slices.Contains(c.names, name) {
					t.Errorf("docs/torch.txt lists %s.%s, which PyTorch lacks", c.module, name)
				}
			}
		}
		present := len(c.names) - len(c.composed) - len(c.absent)
		counts = append(counts, fmt.Sprintf("`%s` | %d | %d | %d | %d", c.module, len(c.names), present, len(c.composed), len(c.absent)))
	}
	page := hold(t, read(t, "../docs/pytorch.md"), counts[0], strings.Join(counts, "\n"))
	want := strings.Join(lines, "\n") + "\n"
	if want != list && !*update {
		t.Errorf("docs/torch.txt is out of date, %s: go test ./examples -run PyTorch -update", firstDifference(list, want))
	}
	if *update {
		for name, text := range map[string]string{"../docs/pytorch.md": page, torchList: want} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// hold wants the paragraph that begins so to be text, and returns the page with it.
func hold(t *testing.T, page, start, text string) string {
	t.Helper()
	before, after, ok := strings.Cut(page, "\n"+start)
	if !ok {
		t.Fatalf("docs/pytorch.md has no paragraph %q", start)
	}
	rest, after, _ := strings.Cut(after, "\n\n")
	if start+rest != text && !*update {
		t.Error("docs/pytorch.md is out of date: go test ./examples -run PyTorch -update")
	}
	return before + "\n" + text + "\n\n" + after
}

// TestComposedLinesCompile builds the lines of Go that stand for names of PyTorch.
func TestComposedLinesCompile(t *testing.T) {
	var body strings.Builder
	for _, c := range coverages(t) {
		for _, name := range slices.Sorted(maps.Keys(c.composed)) {
			line := c.composed[name]
			if names, _, ok := strings.Cut(line, " := "); ok {
				fmt.Fprintf(&body, "{\n%s\nuse(%s)\n}\n", line, strings.Trim(strings.ReplaceAll(", "+names+", ", ", _", ""), ", "))
			} else {
				fmt.Fprintf(&body, "use(%s)\n", line)
			}
		}
	}
	code := `
func use(...any) {}

func main() {
	var x, y, z, w, b *tensor.Tensor
	var ts []*tensor.Tensor
	var dataset, more data.Dataset[data.Batch]
	var stream *data.Stream[*tensor.Tensor, *tensor.Tensor]
	var opt optim.Optimizer
	var net *nn.Sequential
	var n, k int
	var rtol, atol, lo, hi, v float64
	use(x, y, z, w, b, ts, dataset, more, stream, opt, net, n, k, rtol, atol, lo, hi, v)
` + body.String() + "}\n"
	code = "package shown\n\n" + imports(code) + code
	if err := goBuild(map[string]string{"examples/composed/composed.go": code}, "./examples/composed"); err != nil {
		t.Error(err)
	}
}

// coverages reads the list of PyTorch's names, and what docs/torch.txt says of each.
func coverages(t *testing.T) (all []*coverage) {
	t.Helper()
	for line := range strings.Lines(read(t, "testdata/torch215.txt")) {
		words := strings.Fields(line)
		if !strings.HasPrefix(line, " ") {
			all = append(all, &coverage{words[0], nil, map[string]string{}, map[string]string{}, map[string]string{}})
			continue
		}
		c := all[len(all)-1]
		c.names = append(c.names, words...)
	}
	for _, c := range all {
		slices.SortFunc(c.names, func(a, b string) int {
			return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
		})
	}
	for line := range strings.Lines(read(t, torchList)) {
		full, says, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		dot := strings.LastIndexByte(full, '.')
		i := slices.IndexFunc(all, func(c *coverage) bool { return c.module == full[:max(dot, 0)] })
		if i < 0 {
			t.Fatalf("docs/torch.txt lists %s, whose module PyTorch lacks", full)
		}
		told := all[i].present
		if code, ok := strings.CutPrefix(says, "composed, "); ok {
			told, says = all[i].composed, code
		} else if why, ok := strings.CutPrefix(says, "absent, "); ok {
			told, says = all[i].absent, why
		}
		told[full[dot+1:]] = says
	}
	return all
}

// publicNames returns the exported names of packages by how spelled spells them, of methods and constructors without their type and New:
// the tensor's method before the function, and the constructor before the type; and all as they are shown.
func publicNames(t *testing.T, packages []string) (all map[string]string, shown map[string]bool) {
	t.Helper()
	all, shown = map[string]string{}, map[string]bool{"[]*tensor.Tensor": true} // a list of parameters
	add := func(name, as string) {
		shown[as] = true
		if all[spelled(name)] == "" {
			all[spelled(name)] = as
		}
	}
	for _, pkg := range packages {
		names := slices.Sorted(maps.Keys(exported(t, filepath.Join("..", filepath.FromSlash(pkg)))))
		of := func(prefix, as string) {
			for _, name := range names {
				if rest, ok := strings.CutPrefix(name, prefix); ok && !strings.Contains(rest, ".") {
					add(rest, as+rest)
				}
			}
		}
		of("Tensor.", "x.")
		of("New", path.Base(pkg)+".New")
		of("", path.Base(pkg)+".")
		for _, name := range names {
			add(path.Ext("." + name)[1:], name)
		}
	}
	return all, shown
}

// spelled is a name without case and underscores.
func spelled(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
