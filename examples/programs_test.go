package examples

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestPrograms runs examples on few data, with and without simulated GPUs. Lines that goroutines print at once are sorted.
func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		name, machine string
		args          []string
		want          string
	}{
		{"dataparallel", "4", []string{"-steps", "3", "-rows", "10"}, "4 GPUs, parameters on cuda:0\ncuda:0 computes 3 rows\ncuda:1 computes 3 rows\n" +
			"cuda:2 computes 3 rows\ncuda:3 computes 1 rows\nstep 0: loss 0.6428\nstep 2: loss 0.4423\n"},
		{"dataparallel", "0", []string{"-steps", "3", "-rows", "10"}, "0 GPUs, parameters on cpu\ncpu computes 10 rows\nstep 0: loss 0.6428\nstep 2: loss 0.4423\n"},
	} {
		run := exec.Command("go", append([]string{"run", "./" + c.name}, c.args...)...)
		run.Env = append(os.Environ(), "CRESSET_SIM="+c.machine, "CRESSET_SIM_STATE=off")
		out, err := run.CombinedOutput()
		lines := slices.Sorted(strings.Lines(string(out)))
		if err != nil || strings.Join(lines, "") != strings.Join(slices.Sorted(strings.Lines(c.want)), "") {
			t.Errorf("%s on %s GPUs: %v\n%s", c.name, c.machine, err, out)
		}
	}
}
