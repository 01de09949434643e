package bench

import (
	"flag"
	"os"
	"os/exec"
	"testing"
	"time"

	"cresset/device"
	"cresset/internal/par"
)

var neighbour = flag.Duration("neighbour", 0, "how long TestNeighbour measures each workload, alone and beside a busy program")

// TestNeighbour measures how much two threads lose where another program uses one CPU: on a machine of two, three busy threads
// share them, so 1.5 times is fair. Beside other programs than that one it says little.
func TestNeighbour(t *testing.T) {
	if os.Getenv("CRESSET_BUSY") != "" {
		for n := 0; n >= 0; n = (n + 1) & 0xffff {
		}
	}
	if *neighbour == 0 {
		t.Skip("-neighbour tells how long to measure")
	}
	par.SetNumThreads(2)
	defer par.SetNumThreads(0)
	cases, err := Matching(device.CPU, "^(train/(mlp|cnn)_sgd|mm/512|softmax/4096x1024)$")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		call := c.Make(device.CPU)
		alone := meanTime(call, *neighbour)
		busy := exec.Command(os.Args[0], "-test.run=^TestNeighbour$")
		busy.Env = append(os.Environ(), "CRESSET_BUSY=1")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		beside := meanTime(call, *neighbour)
		busy.Process.Kill()
		busy.Wait()
		t.Logf("%-20s %8v alone, %8v beside a busy program: %.2f times", c.Name, alone.Round(time.Microsecond), beside.Round(time.Microsecond), float64(beside)/float64(alone))
	}
}

// meanTime returns how long a call takes, every delay of a long run included.
func meanTime(call func(), long time.Duration) time.Duration {
	for range 10 {
		call()
	}
	start, n := time.Now(), 0
	for time.Since(start) < long {
		call()
		n++
	}
	return time.Since(start) / time.Duration(n)
}
