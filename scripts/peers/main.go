// Command peers times workloads of `cresset bench` in other libraries of Go, in turns with cresset, and prints ratios.
//
//	go build -o /tmp/cresset-bench ./cmd/cresset
//	cd scripts/peers && go run . -cresset /tmp/cresset-bench -match '^(mm|add|softmax)/' -rounds 5
//
// The peers are gonum and GoMLX with its backend in pure Go. It is a module of its own, so that cresset depends on neither.
// A ratio is a peer's time over cresset's, the median of the rounds: above 1 cresset is ahead.
package main

import (
	"flag"
	"fmt"
	"log"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// peer is a library with the workloads that it can do. A workload makes its operands and returns the call.
type peer struct {
	name      string
	workloads map[string]func() func()
}

func main() {
	log.SetFlags(0)
	program := flag.String("cresset", "cresset", "the program")
	match := flag.String("match", "", "a regular expression for names of workloads")
	threads := flag.String("threads", "1,2", "numbers of threads")
	rounds := flag.Int("rounds", 5, "rounds, of which the median counts")
	flag.Parse()
	if err := compare(*program, *match, *threads, *rounds); err != nil {
		log.Fatal(err)
	}
}

func compare(program, match, threads string, rounds int) error {
	wanted, err := regexp.Compile(match)
	if err != nil {
		return err
	}
	list, err := exec.Command(program, "bench", "--list").Output()
	if err != nil {
		return fmt.Errorf("%s bench --list: %w", program, err)
	}
	ours, err := start(program)
	if err != nil {
		return err
	}
	peers := []peer{{"gonum", gonum()}, {"GoMLX", gomlx()}}
	printVersions()
	fmt.Println("| workload | threads | peer | its time | cresset | ratio | spread |\n|---|---|---|---|---|---|---|")
	for count := range strings.SplitSeq(threads, ",") {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of threads", count)
		}
		runtime.GOMAXPROCS(n)
		for name := range strings.FieldsSeq(string(list)) {
			if !wanted.MatchString(name) {
				continue
			}
			for _, p := range peers {
				if prepare := p.workloads[name]; prepare != nil {
					if err := duel(ours, p.name, name, n, rounds, prepare()); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// duel times a peer and cresset in turns.
func duel(ours *cresset, peer, name string, threads, rounds int, call func()) error {
	theirs := newTimer(call)
	var times, own, ratios []float64
	for range rounds {
		t := theirs.round()
		o, err := ours.round(name, threads)
		if err != nil {
			return err
		}
		times, own, ratios = append(times, t), append(own, o), append(ratios, t/o)
	}
	fmt.Printf("| `%s` | %d | %s | %s | %s | %.3g | %.3g to %.3g |\n", name, threads, peer,
		human(median(times)), human(median(own)), median(ratios), slices.Min(ratios), slices.Max(ratios))
	return nil
}

func printVersions() {
	fmt.Print(runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "gonum.org/v1/gonum" || m.Path == "github.com/gomlx/gomlx" {
				fmt.Print(", ", m.Path, " ", m.Version)
			}
		}
	}
	fmt.Print("\n\n")
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

func human(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.3g ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	default:
		return fmt.Sprintf("%.4g ms", ns/1e6)
	}
}
