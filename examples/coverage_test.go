package examples

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// composedPage has a line of Go for each name that is composed.
const composedPage = "../docs/composed.txt"

// coverage is what docs/pytorch.md and docs/composed.txt say of a module of PyTorch.
type coverage struct {
	module   string
	names    []string          // all that PyTorch 2.15 has, from testdata/torch215.txt
	composed map[string]string // a line of Go by name
	absent   map[string]string // a reason by name
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
}

// namesakes are composed names that something else has in Go: an option, and layers.
var namesakes = []string{"torch.gradient", "torch.nn.functional.softmin", "torch.nn.functional.upsample"}

// TestEveryNameOfPyTorchHasAPlace wants each name of PyTorch 2.15 present, composed by a line of Go, or absent for a reason. What is
// present is found in the sources; -update writes the counts.
func TestEveryNameOfPyTorchHasAPlace(t *testing.T) {
	page := read(t, "../docs/pytorch.md")
	counts := []string{"module | names | present | composed | absent", "---|---|---|---|---"}
	for _, c := range coverages(t, page) {
		public := publicNames(t, homes[c.module])
		present := 0
		for _, name := range c.names {
			_, composed := c.composed[name]
			_, absent := c.absent[name]
			here := public[spelled(name)]
			switch {
			case composed && absent:
				t.Errorf("%s.%s is both composed and absent", c.module, name)
			case composed && here && !slices.Contains(namesakes, c.module+"."+name):
				t.Errorf("%s.%s is there now: its line of docs/composed.txt goes, and so do its rows in scripts/composed_torch.py and %s",
					c.module, name, composedGolden)
			case absent && here:
				t.Errorf("%s.%s is said to be absent, but is there", c.module, name)
			case !composed && !absent && !here:
				t.Errorf("%s.%s is neither present nor composed nor absent", c.module, name)
			case !composed && !absent:
				present++
			}
		}
		for _, told := range []map[string]string{c.composed, c.absent} {
			for name := range told {
				if !slices.Contains(c.names, name) {
					t.Errorf("the documentation lists %s.%s, which PyTorch lacks", c.module, name)
				}
			}
		}
		counts = append(counts, fmt.Sprintf("`%s` | %d | %d | %d | %d", c.module, len(c.names), present, len(c.composed), len(c.absent)))
	}
	page = hold(t, page, counts[0], strings.Join(counts, "\n"))
	if *update {
		if err := os.WriteFile("../docs/pytorch.md", []byte(page), 0o644); err != nil {
			t.Fatal(err)
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
	for _, c := range coverages(t, read(t, "../docs/pytorch.md")) {
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
	var n, k int
	var rtol, atol, lo, hi, v float64
	use(x, y, z, w, b, ts, dataset, more, stream, opt, n, k, rtol, atol, lo, hi, v)
` + body.String() + "}\n"
	code = "package shown\n\n" + imports(code) + code
	if err := goBuild(map[string]string{"examples/composed/composed.go": code}, "./examples/composed"); err != nil {
		t.Error(err)
	}
}

// coverages reads the list of PyTorch's names, and what the documentation says of each. An absent name may have a * for any characters.
func coverages(t *testing.T, page string) (all []*coverage) {
	t.Helper()
	for line := range strings.Lines(read(t, "testdata/torch215.txt")) {
		words := strings.Fields(line)
		if !strings.HasPrefix(line, " ") {
			all = append(all, &coverage{module: words[0], composed: map[string]string{}, absent: map[string]string{}})
			continue
		}
		c := all[len(all)-1]
		c.names = append(c.names, words...)
	}
	for line := range strings.Lines(read(t, composedPage)) {
		name, code, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		c := coverageOf(t, all, path.Dir(strings.ReplaceAll(name, ".", "/")))
		c.tell(t, c.composed, path.Ext(name)[1:], code)
	}
	_, absent, _ := strings.Cut(page, "\nabsent | why\n")
	for line := range strings.Lines(absent) {
		left, why, _ := strings.Cut(strings.TrimSpace(line), " | ")
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(left, -1) {
			module, name, ok := strings.Cut(name[1], ".")
			if !ok {
				module, name = "", module
			}
			c := coverageOf(t, all, shortModules[module])
			if !strings.Contains(name, "*") {
				c.tell(t, c.absent, name, why)
			}
			for _, n := range c.names {
				if ok, _ := path.Match(name, n); ok && n != name && c.composed[n] == "" {
					c.tell(t, c.absent, n, why)
				}
			}
		}
	}
	for _, c := range all {
		slices.SortFunc(c.names, func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) })
	}
	return all
}

// shortModules are the modules of absent names by what stands before their dot.
var shortModules = map[string]string{
	"": "torch", "linalg": "torch/linalg", "nn": "torch/nn", "F": "torch/nn/functional", "optim": "torch/optim", "data": "torch/utils/data",
}

// coverageOf returns that of a module, whose parts slashes divide.
func coverageOf(t *testing.T, all []*coverage, module string) *coverage {
	t.Helper()
	module = strings.ReplaceAll(module, "/", ".")
	i := slices.IndexFunc(all, func(c *coverage) bool { return c.module == module })
	if i < 0 {
		t.Fatalf("PyTorch has no module %q", module)
	}
	return all[i]
}

// tell notes what the documentation says of a name.
func (c *coverage) tell(t *testing.T, told map[string]string, name, what string) {
	t.Helper()
	if told[name] != "" {
		t.Errorf("%s.%s is told twice", c.module, name)
	}
	told[name] = what
}

// publicNames returns the exported names of packages as spelled spells them, those of methods and constructors without their type
// and New.
func publicNames(t *testing.T, packages []string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, pkg := range packages {
		for name := range exported(t, filepath.Join("..", filepath.FromSlash(pkg))) {
			name = path.Ext("." + name)[1:]
			all[spelled(name)] = true
			all[spelled(strings.TrimPrefix(name, "New"))] = true
		}
	}
	return all
}

// spelled is a name without case and underscores.
func spelled(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
