package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A round is the fastest of some batches, as in cresset's internal/bench.
const (
	batches   = 5
	batchTime = 10 * time.Millisecond
)

// timer is a call of this process, ready to be timed.
type timer struct {
	call  func()
	calls int // of a batch
}

func newTimer(call func()) *timer {
	t := &timer{call, 1}
	call() // compiles graphs and brings memory
	for {
		took := t.batch()
		if took >= batchTime/2 {
			t.calls = max(1, int(float64(t.calls)*float64(batchTime)/float64(took)))
			return t
		}
		t.calls *= 2
	}
}

func (t *timer) batch() time.Duration {
	start := time.Now()
	for range t.calls {
		t.call()
	}
	return time.Since(start)
}

// round returns the nanoseconds of one call.
func (t *timer) round() float64 {
	best := t.batch()
	for range batches - 1 {
		best = min(best, t.batch())
	}
	return float64(best) / float64(t.calls)
}

// cresset is a `cresset bench --follow` that waits for requests. It ends when this process does.
type cresset struct {
	requests io.Writer
	answers  *bufio.Scanner
}

func start(program string) (*cresset, error) {
	command := exec.Command(program, "bench", "--follow")
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &cresset{in, bufio.NewScanner(out)}, command.Start()
}

// round returns the nanoseconds of one call of a workload.
func (c *cresset) round(name string, threads int) (float64, error) {
	if _, err := fmt.Fprintln(c.requests, name, threads); err != nil {
		return 0, err
	}
	if !c.answers.Scan() {
		return 0, fmt.Errorf("cresset bench ended at %s", name)
	}
	var answer struct {
		Time float64 `json:"ns"`
	}
	err := json.Unmarshal(c.answers.Bytes(), &answer)
	return answer.Time, err
}
