package conformance

import (
	"errors"
	"slices"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

// operation is a recorded case: an expression over its inputs, its results, and the gradients of Σ weight · result.
type operation struct {
	Name, Note, Op, Call  string
	In, Out, Weight, Grad []*recorded
}

// TestOperations computes what PyTorch computed.
func TestOperations(t *testing.T) {
	called := make(map[string]bool)
	for _, recording := range []struct {
		file      string
		tolerance float64
	}{{"ops.json", 1e-9}, {"ops_f32.json", 1e-5}} {
		var file struct{ Ops []operation }
		read(t, "ops", recording.file, &file)
		devicetest.Run(t, func(t *testing.T, dev device.Device) {
			for _, c := range file.Ops {
				called[c.Op], called[c.Name] = true, true
				t.Run(c.Name+" "+c.Note, func(t *testing.T) { c.check(t, dev, recording.tolerance, called) })
			}
		})
	}
	refuseStale(t, absent, called)
	refuseStale(t, withoutKernel, called)
}

// refuseStale fails for names that are listed with a reason, but come up in no case.
func refuseStale(t *testing.T, listed map[string]string, called map[string]bool) {
	t.Helper()
	for name := range listed {
		if !called[name] {
			t.Errorf("%q is listed with a reason, but no case needs it", name)
		}
	}
}

// check notes in called what the tables lack.
func (c *operation) check(t *testing.T, dev device.Device, tolerance float64, called map[string]bool) {
	in := make([]*tensor.Tensor, len(c.In))
	for i, r := range c.In {
		in[i] = r.on(dev).SetRequiresGrad(c.Grad[i] != nil)
	}
	var value any
	var err error
	failure := tensor.Try(func() { value, err = environment(dev, in).Eval(c.Call) })
	if unknown, ok := errors.AsType[*pyexpr.UnknownError](err); ok && absent[unknown.Name] != "" {
		called[unknown.Name] = true
		return
	}
	switch {
	case err != nil:
		t.Fatal(err)
	case dev.IsCUDA() && withoutKernel[c.Op]+withoutKernel[c.Name] != "":
		if !errors.Is(failure, tensor.ErrKernel) {
			t.Fatalf("got %v, want no kernel: %s", failure, withoutKernel[c.Op]+withoutKernel[c.Name])
		}
		return
	case failure != nil:
		t.Fatal(failure)
	}
	if slices.Contains(looser, c.Op) {
		tolerance = max(tolerance, 1e-8)
	}
	c.compare(t, in, results(value), tolerance)
}

func (c *operation) compare(t *testing.T, in, out []*tensor.Tensor, tolerance float64) {
	sum := c.compareResults(t, out, tolerance)
	if t.Failed() || !slices.ContainsFunc(c.Grad, func(g *recorded) bool { return g != nil }) {
		return
	}
	sum.Backward()
	c.compareGradients(t, in, tolerance)
}

// compareResults returns Σ weight · result.
func (c *operation) compareResults(t *testing.T, out []*tensor.Tensor, tolerance float64) (sum *tensor.Tensor) {
	if len(out) != len(c.Out) {
		t.Fatalf("%d results, want %d", len(out), len(c.Out))
	}
	for i, y := range out {
		c.Out[i].compare(t, "result", y, tolerance)
		if w := c.Weight; w != nil && w[i] != nil {
			part := y.Mul(w[i].on(y.Device())).Sum()
			if sum == nil {
				sum = part
			} else {
				sum = sum.Add(part)
			}
		}
	}
	return sum
}

func (c *operation) compareGradients(t *testing.T, in []*tensor.Tensor, tolerance float64) {
	for i, g := range c.Grad {
		if g != nil {
			g.compare(t, "gradient", in[i].Grad(), tolerance)
		}
	}
}

// results are a value's tensors, in order.
func results(v any) []*tensor.Tensor {
	switch v := v.(type) {
	case *tensor.Tensor:
		return []*tensor.Tensor{v}
	case []*tensor.Tensor:
		return v
	case []any:
		var list []*tensor.Tensor
		for _, item := range v {
			list = append(list, results(item)...)
		}
		return list
	}
	return nil
}
