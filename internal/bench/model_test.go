package bench

import (
	"testing"

	"cresset/device"
	"cresset/internal/backend/cuda"
	"cresset/internal/hardware"
)

// TestModelOfCompiled: six ops in one kernel have an eighth of the bytes of one by one, and little more of the time, since its blocks run beside each other
// as those of other kernels do.
func TestModelOfCompiled(t *testing.T) {
	m, err := hardware.Preset("h100", 1)
	if err != nil {
		t.Fatal(err)
	}
	trace, giveBack, err := cuda.UseModel(m)
	if err != nil {
		t.Fatal(err)
	}
	defer giveBack()
	took := map[string]float64{}
	cases, err := Matching(device.CUDA(0), "^chain(_compiled)?/1e7$")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		f := Model(c, device.CUDA(0), trace.GPU, trace.Take)
		if f.Problem != "" {
			t.Fatal(c.Name, ": ", f.Problem)
		}
		took[c.Name] = f.Time
		if f.Resident < 4 {
			t.Errorf("%s: %d blocks of %s on a multiprocessor", c.Name, f.Resident, f.Kernel)
		}
	}
	if eager, compiled := took["chain/1e7"], took["chain_compiled/1e7"]; !(compiled < 0.2*eager) {
		t.Errorf("compiled %.0f ns, op by op %.0f", compiled, eager)
	}
}
