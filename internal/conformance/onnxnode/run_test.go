package onnxnode

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/tensor"
)

// families are the tables of operators, a file each.
var families = []map[string]operator{elementwise, comparisons, reductions, shapes, indexing, products, windows, norms, losses, recurrent}

// TestNodes runs the cases in the folder that CRESSET_ONNX names. Each has to pass or to be listed in reasons, and none both.
func TestNodes(t *testing.T) {
	folder := os.Getenv("CRESSET_ONNX")
	if folder == "" {
		t.Skip("CRESSET_ONNX names no folder of cases: scripts/onnx_nodes.py writes one")
	}
	raw, err := os.ReadFile(filepath.Join(folder, "nodes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var nodes []*node
	if err := json.Unmarshal(raw, &nodes); err != nil {
		t.Fatal(err)
	}
	operators := map[string]operator{}
	for _, family := range families {
		maps.Copy(operators, family)
	}
	passed, missing := 0, map[string]int{}
	for _, n := range nodes {
		reason := n.reason(operators)
		problem := n.run(operators[n.Op])
		switch {
		case problem == "" && reason == "":
			passed++
		case problem == "":
			t.Errorf("%s passes, but is listed: %s", n.Name, reason)
		case reason == "":
			t.Errorf("%s (%s): %s", n.Name, n.Op, problem)
		default:
			missing[reason]++
		}
	}
	t.Logf("%d of %d cases pass", passed, len(nodes))
	for _, reason := range slices.Sorted(maps.Keys(missing)) {
		t.Logf("%4d do not: %s", missing[reason], reason)
	}
}

// reason returns why a case is not expected to pass; none for one that is.
func (n *node) reason(operators map[string]operator) string {
	for _, a := range slices.Concat(n.Inputs, n.Outputs) {
		if !a.known() {
			return "cresset has no elements of " + a.DType
		}
	}
	if reason, ok := reasons[n.Name]; ok {
		return reason
	}
	return reasons[n.Op]
}

// run computes the node and returns how its outputs differ from those expected, or what went wrong.
func (n *node) run(f operator) (problem string) {
	if f == nil {
		return "no operator " + n.Op
	}
	defer func() {
		if p := recover(); p != nil {
			problem = fmt.Sprint(p)
		}
	}()
	got := f(n)
	expected := 0
	for i, named := range n.Results {
		if !named {
			continue
		}
		want := n.Outputs[expected].tensor()
		expected++
		if i >= len(got) || got[i] == nil {
			return fmt.Sprintf("output %d is missing", i)
		}
		if text := differ(got[i], want); text != "" {
			return fmt.Sprintf("output %d: %s", i, text)
		}
	}
	return ""
}

// differ compares by ONNX's own bounds: |got - want| ≤ 1e-7 + 1e-3·|want|.
func differ(got, want *tensor.Tensor) string {
	if got.DType() != want.DType() {
		return fmt.Sprintf("got %v, want %v", got.DType(), want.DType())
	}
	if !got.Shape().Equal(want.Shape()) {
		return fmt.Sprintf("got shape %v, want %v", got.Shape(), want.Shape())
	}
	x, y := got.Double(), want.Double()
	near := x.Sub(y).Abs().Le(y.Abs().MulScalar(1e-3).AddScalar(1e-7))
	near = near.LogicalOr(x.Eq(y)).LogicalOr(x.IsNaN().LogicalAnd(y.IsNaN()))
	if near.All().Item().(bool) {
		return ""
	}
	text := strings.ReplaceAll(fmt.Sprintf("got %v, want %v", got, want), "\n", "")
	return text[:min(len(text), 400)]
}
