package bench

import (
	"testing"

	"cresset/device"
	"cresset/internal/backend/cuda"
	"cresset/internal/hardware"
	"cresset/tensor"
)

// still returns cases of an H200 whose kernels do nothing, for the test.
func still(t *testing.T, pattern string) ([]Case, *cuda.Trace) {
	t.Helper()
	m, err := hardware.Preset("h200", 1)
	if err != nil {
		t.Fatal(err)
	}
	trace, giveBack, err := cuda.UseModel(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(giveBack)
	cases, err := Matching(device.CUDA(0), pattern)
	if err != nil {
		t.Fatal(err)
	}
	return cases, trace
}

// modelled returns what the model says of cases.
func modelled(t *testing.T, pattern string) map[string]Modelled {
	t.Helper()
	cases, trace := still(t, pattern)
	found := map[string]Modelled{}
	for _, c := range cases {
		f := Model(c, device.CUDA(0), trace.GPU, trace.Take)
		if f.Problem != "" {
			t.Fatal(c.Name, ": ", f.Problem)
		}
		found[c.Name] = f
	}
	return found
}

// TestModelOfCompiled: six ops in one kernel have an eighth of the bytes of one by one, and little more of the time, since its blocks run beside each other
// as those of other kernels do.
func TestModelOfCompiled(t *testing.T) {
	found := modelled(t, "^chain(_compiled)?/1e7$")
	for name, f := range found {
		if f.Resident < 4 {
			t.Errorf("%s: %d blocks of %s on a multiprocessor", name, f.Resident, f.Kernel)
		}
	}
	if eager, compiled := found["chain/1e7"].Time, found["chain_compiled/1e7"].Time; !(compiled < 0.2*eager) {
		t.Errorf("compiled %.0f ns, op by op %.0f", compiled, eager)
	}
}

// tableTime is more than a GPU takes to copy an optimizer's table of addresses, in nanoseconds, which a step does whose gradients have moved since the last.
const tableTime = 10e3

// TestModelOfGraphs: a graph is one launch, of the kernels of the step that it replays, and takes no longer, but for the copy of a table. The compiled step of a ResNet-18 by Autocast casts its
// weights at once, and no activation.
func TestModelOfGraphs(t *testing.T) {
	found := modelled(t, "^train/(mlp_sgd|resnet18)(_graph|_bf16_compiled(_graph)?)?$")
	if got := found["train/resnet18_bf16_compiled"].Launches; got != 322 {
		t.Errorf("a compiled step of ResNet-18 by Autocast is %d launches, want 322", got)
	}
	for graph, step := range map[string]string{
		"mlp_sgd_graph": "mlp_sgd", "mlp_sgd_bf16_compiled_graph": "mlp_sgd_bf16_compiled", "resnet18_bf16_compiled_graph": "resnet18_bf16_compiled",
	} {
		g, s := found["train/"+graph], found["train/"+step]
		if g.Launches != 1 || s.Launches < 15 || g.Flops != s.Flops || !(g.Time <= s.Time+tableTime) {
			t.Errorf("%s: %d launches, %v operations and %v ns; %s: %d, %v and %v", graph, g.Launches, g.Flops, g.Time, step, s.Launches, s.Flops, s.Time)
		}
	}
}

// TestStepsAreCaptured captures the steps that are too large to be simulated, and replays them.
func TestStepsAreCaptured(t *testing.T) {
	cases, _ := still(t, "^(train/resnet18|gpt2_decode).*_graph(/bfloat16)?$")
	for _, c := range cases {
		if err := tensor.Try(func() {
			replay := c.Make(device.CUDA(0))
			replay()
			replay()
		}); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	if len(cases) != 4 {
		t.Errorf("%d graphs", len(cases))
	}
}
