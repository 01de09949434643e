package examples

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// sees returns an environment with the GPUs that CRESSET_SIM describes, and no others.
func sees(machine string) []string {
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		return strings.HasPrefix(pair, "CUDA_") || strings.HasPrefix(pair, "CRESSET_SIM")
	})
	return append(env, "CRESSET_SIM="+machine, "CRESSET_SIM_STATE=off")
}

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
		{"choose", "../internal/tour/machines/lab550.json", nil, "GPU 2 at 00000000:03:00.0 has 8030 MiB free\n" +
			"cuda:0 of 1 is the one at 0000:03:00.0\ntensor(6., device='cuda:0')\n"},
		{"choose", "0", nil, "found no GPU: computing on the CPU\ntensor(6.)\n"},
	} {
		run := exec.Command(program(t, c.name), c.args...)
		run.Env = sees(c.machine)
		out, err := run.CombinedOutput()
		lines := slices.Sorted(strings.Lines(string(out)))
		if err != nil || strings.Join(lines, "") != strings.Join(slices.Sorted(strings.Lines(c.want)), "") {
			t.Errorf("%s with CRESSET_SIM=%s: %v\n%s", c.name, c.machine, err, out)
		}
	}
}

// TestChooseWantsMore wants the reason where no GPU has enough memory.
func TestChooseWantsMore(t *testing.T) {
	c := exec.Command(program(t, "choose"), "-min-free", "65536")
	c.Env = sees("gtx1070:2")
	out, err := c.CombinedOutput()
	const want = "choose: wanted 1 GPU with at least 64.0 GiB free, have 0: GPU 0 7.9 GiB free; GPU 1 7.9 GiB free\n"
	if err == nil || string(out) != want {
		t.Errorf("got %q (%v), want %q", out, err, want)
	}
}

// TestExamplesLearn trains each for a short while and wants what that has to reach, well below what it does reach.
func TestExamplesLearn(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"cnn", "-samples 600 -epochs 1", `^9114 parameters on cpu\nepoch 1: loss \d\.\d{3}, ([4-9]\d|1\d\d) of 150 right\n$`},
		{"unet", "-steps 200", `disc: intersection over union 0\.[5-9]\d\ncross: intersection over union 0\.[4-9]\d\n$`},
		{"sentiment", "-steps 100", `(4[5-9]\d|500) of 500 reviews right\n`},
		{"pinn", "-steps 1000", `largest error 0\.0\d\d\n$`},
	} {
		run := exec.Command(program(t, c.name), strings.Fields(c.args)...)
		run.Env = sees("0")
		if out, err := run.CombinedOutput(); err != nil || !regexp.MustCompile(c.want).Match(out) {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
	}
}

// TestServerEndsOnSIGTERM starts the server as a user does, asks it and ends it.
func TestServerEndsOnSIGTERM(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows sends no SIGTERM")
	}
	c := exec.CommandContext(t.Context(), program(t, "server"), "-addr", "127.0.0.1:0", "-samples", "100")
	c.Env = sees("0")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url := regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if err != nil || !strings.HasSuffix(line, ", computing on cpu\n") {
		t.Fatalf("%q %v", line, err)
	}
	response, err := http.Post(url+"/predict", "application/json", strings.NewReader(`{"pixels": [`+strings.Repeat("0,", 783)+`0]}`))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("status %d", response.StatusCode)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}
