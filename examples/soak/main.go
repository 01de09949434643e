// Command soak trains a small network for many steps and prints the resident size of the process. It fails where the size
// keeps growing. What counts begins after 8000 steps of warming up: until then the net fills to its 32 MiB.
//
//	go run ./examples/soak -steps 100000           # the collector takes back what a step leaves
//	go run ./examples/soak -steps 100000 -scopes   # a scope does, when the step ends
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// warmUp is how many steps come before those that count. Without scopes the net is full after some 5000.
const warmUp = 8000

func main() {
	steps := flag.Int("steps", 100_000, "training steps after the warm-up")
	scopes := flag.Bool("scopes", false, "give each step a scope")
	slack := flag.Float64("slack", 8, "MiB that the resident size may grow after the warm-up")
	flag.Parse()
	if grown := soak(*steps, *scopes); grown > *slack {
		fmt.Printf("the resident size grew by %.1f MiB\n", grown)
		os.Exit(1)
	}
}

// soak trains and returns by how many MiB the resident size grew after the warm-up.
func soak(steps int, scopes bool) float64 {
	tensor.ManualSeed(0)
	net := nn.NewSequential(nn.NewLinear(32, 64), nn.NewReLU(), nn.NewLinear(64, 8))
	opt := optim.NewAdam(nn.Parameters(net))
	x, y := tensor.Randn(64, 32), tensor.RandInt(0, 8, 64)
	for range warmUp {
		step(net, opt, x, y, scopes)
	}
	start, base := time.Now(), residentMiB()
	highest := base
	for i := 1; i <= steps; i++ {
		step(net, opt, x, y, scopes)
		if i%max(steps/10, 1) != 0 {
			continue
		}
		size := residentMiB()
		highest = max(highest, size)
		fmt.Printf("step %7d  resident %6.1f MiB  %5.1fs\n", i, size, time.Since(start).Seconds())
	}
	return highest - base
}

func step(net nn.Module, opt optim.Optimizer, x, y *tensor.Tensor, scopes bool) {
	if scopes {
		s := tensor.NewScope()
		defer s.Close()
		x = s.Enter(x)
	}
	opt.ZeroGrad()
	tensor.CrossEntropy(net.Forward(x), y).Backward()
	opt.Step()
}

// residentMiB reads the resident size from Linux's /proc; elsewhere it is 0.
func residentMiB() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range bytes.Split(status, []byte("\n")) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			kib, err := strconv.ParseFloat(string(bytes.Fields(rest)[0]), 64)
			if err == nil {
				return kib / 1024
			}
		}
	}
	return 0
}
