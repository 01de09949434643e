package examples

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// composedModules are the modules of PyTorch whose composed lines are held by value.
var composedModules = []string{"torch", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.Tensor"}

const composedGolden = "testdata/composed_torch215.json"

// composedMain is what runs the lines: it prints the results of each by name.
const composedMain = `
type inputs map[string]json.RawMessage

func (in inputs) tensor(name string) *tensor.Tensor {
	if in[name] == nil {
		return nil
	}
	return tensorOf(in[name])
}

func tensorOf(raw json.RawMessage) *tensor.Tensor {
	var v struct {
		Shape  []int
		Values []any
		Kind   string
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	values := make([]float64, len(v.Values))
	for i, e := range v.Values {
		values[i], _ = strconv.ParseFloat(fmt.Sprint(e), 64)
	}
	return tensor.FromSlice(values, v.Shape...).To(dtype.MustParse(v.Kind))
}

func (in inputs) number(name string) (v float64) {
	if in[name] != nil {
		v, _ = strconv.ParseFloat(string(in[name]), 64)
	}
	return v
}

func (in inputs) list(name string) (ts []*tensor.Tensor) {
	var raws []json.RawMessage
	if in[name] != nil {
		json.Unmarshal(in[name], &raws)
	}
	for _, raw := range raws {
		ts = append(ts, tensorOf(raw))
	}
	return ts
}

// shown makes a result plain data.
func shown(v any) []any {
	switch v := v.(type) {
	case *tensor.Tensor:
		values := []string{}
		for _, e := range tensor.Values[float64](v.Detach().Double()) {
			values = append(values, fmt.Sprint(e))
		}
		kind := strings.TrimPrefix(fmt.Sprint(v.DType()), "torch.")
		return []any{map[string]any{"shape": append([]int{}, v.Shape()...), "values": values, "kind": kind}}
	case []*tensor.Tensor:
		var all []any
		for _, t := range v {
			all = append(all, shown(t)...)
		}
		return all
	case dtype.DType:
		return []any{strings.TrimPrefix(v.String(), "torch.")}
	case error:
		return []any{"an error"}
	}
	return []any{v}
}

var results = map[string][]any{}

func add(name string, all ...any) {
	for _, v := range all {
		results[name] = append(results[name], shown(v)...)
	}
}

func main() {
	var rows map[string]struct{ In inputs }
	if err := json.NewDecoder(os.Stdin).Decode(&rows); err != nil {
		panic(err)
	}
	use := func(...any) {}
%s
	json.NewEncoder(os.Stdout).Encode(results)
}
`

// composedProgram is the program whose blocks run a line each, on the inputs of its name.
func composedProgram(t *testing.T) string {
	var body strings.Builder
	for _, c := range coverages(t) {
		if !slices.Contains(composedModules, c.module) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(c.composed)) {
			line, results := c.composed[name], c.composed[name]
			if names, _, ok := strings.Cut(line, " := "); ok {
				results = strings.ReplaceAll(names, ", _", "")
			} else {
				line = ""
			}
			fmt.Fprintf(&body, `{
				in := rows[%[1]q].In
				x, y, z, w, b, ts := in.tensor("x"), in.tensor("y"), in.tensor("z"), in.tensor("w"), in.tensor("b"), in.list("ts")
				n, k := int(in.number("n")), int(in.number("k"))
				rtol, atol, lo, hi, v := in.number("rtol"), in.number("atol"), in.number("lo"), in.number("hi"), in.number("v")
				use(x, y, z, w, b, ts, n, k, rtol, atol, lo, hi, v)
				if err := tensor.Try(func() {
					%[2]s
					add(%[1]q, %[3]s)
				}); err != nil {
					add(%[1]q, "panic: " + err.Error())
				}
			}
			`, c.module+"."+name, line, results)
		}
	}
	code := fmt.Sprintf(composedMain, body.String())
	unquoted := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(code, "") // where a name of PyTorch's would count as a package
	return "package main\n\nimport \"strconv\"\n" + imports(unquoted) + code
}

// TestComposedLinesGivePyTorchsValues runs the lines of Go that stand for names of PyTorch on small inputs, and compares what they give
// with what PyTorch gave. Draws are compared by shape.
func TestComposedLinesGivePyTorchsValues(t *testing.T) {
	if err := goBuild(map[string]string{"examples/composed/main.go": composedProgram(t)}, "-o", executable("composed"), "./examples/composed"); err != nil {
		t.Fatal(err)
	}
	golden, err := os.Open(composedGolden)
	if err != nil {
		t.Fatal(err)
	}
	defer golden.Close()
	c := exec.Command(executable("composed"))
	c.Stdin, c.Stderr = golden, os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string][]any
	var want map[string]struct{ Want []any }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(read(t, composedGolden)), &want); err != nil {
		t.Fatal(err)
	}
	for name, results := range got {
		row, ok := want[name]
		switch {
		case !ok:
			t.Errorf("%s has no row of %s: scripts/composed_torch.py writes it", name, composedGolden)
		case len(row.Want) != len(results):
			t.Errorf("%s: got %d results, want %d", name, len(results), len(row.Want))
		default:
			for i := range results {
				if !sameResult(results[i], row.Want[i]) {
					t.Errorf("%s: result %d: got %v, want %v", name, i, results[i], row.Want[i])
				}
			}
		}
	}
	for name := range want {
		if got[name] == nil {
			t.Errorf("%s has a row of %s, but no line of docs/torch.txt", name, composedGolden)
		}
	}
}

// sameResult compares results; a tensor whose row has no values is a draw.
func sameResult(got, want any) bool {
	g, isTensor := got.(map[string]any)
	w, wanted := want.(map[string]any)
	if !isTensor || !wanted {
		return fmt.Sprint(got) == fmt.Sprint(want)
	}
	if fmt.Sprint(g["shape"]) != fmt.Sprint(w["shape"]) || g["kind"] != w["kind"] {
		return false
	}
	values, ok := w["values"].([]any)
	for i := range values {
		a, _ := strconv.ParseFloat(fmt.Sprint(g["values"].([]any)[i]), 64)
		b, _ := strconv.ParseFloat(fmt.Sprint(values[i]), 64)
		if !(a == b || a != a && b != b || math.Abs(a-b) <= 2e-6+2e-5*math.Abs(b)) {
			return false
		}
	}
	return ok || w["values"] == nil
}
