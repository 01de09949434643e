package cuda_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/friend"
	"cresset/tensor"
)

// way returns the tally of one direction.
func way(r cuda.TransferReport, d cuda.Direction) (t cuda.Tally) {
	for _, w := range r.Ways {
		if w.Direction == d {
			t = w.Tally
		}
	}
	return t
}

// kinds lists the findings of a report as "kind copies".
func kinds(r cuda.TransferReport) string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, fmt.Sprintf("%s %d", f.Kind, f.Copies))
	}
	return strings.Join(out, ", ")
}

func TestTransfersAreCounted(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=2") {
		return
	}
	x := tensor.Ones(8, 4)
	transfers := cuda.TraceTransfers()
	a := x.To(device.CUDA(0)) // 128 bytes
	b := a.To(device.CUDA(1))
	b.AddScalar(1).CPU()
	tensor.Values[float32](b)
	x.Double()
	x.To(device.CPU)
	tensor.Ones(0).CUDA(0)
	r := transfers.Stop()
	x.To(device.CUDA(0)) // not counted
	want := map[cuda.Direction]cuda.Tally{
		cuda.HostToDevice: {Copies: 1, Bytes: 128}, cuda.DeviceToDevice: {Copies: 1, Bytes: 128}, cuda.DeviceToHost: {Copies: 2, Bytes: 256},
	}
	for d, w := range want {
		got := way(r, d)
		if got.Copies != w.Copies || got.Bytes != w.Bytes {
			t.Errorf("%s: got %+v, want %+v", d, got, w)
		}
		// the model: 8 us and the bytes over a link of some GB/s
		if each := got.Seconds / float64(got.Copies); each < 8e-6 || each > 20e-6 {
			t.Errorf("%s: a copy of 128 bytes takes %g s", d, each)
		}
	}
	if r.Clock != "modelled" || len(r.Routes) != 4 || len(r.Findings) != 0 {
		t.Errorf("clock %s, %d routes, findings %v", r.Clock, len(r.Routes), r.Findings)
	}
	for _, c := range r.Routes {
		if !strings.HasPrefix(c.Site.String(), "cuda/transfers_test.go:") || !strings.HasSuffix(c.Site.Function, "TestTransfersAreCounted") {
			t.Errorf("a copy by %+v", c.Site)
		}
	}
	if again := transfers.Stop(); again.String() != r.String() {
		t.Errorf("a second Stop tells\n%safter\n%s", again, r)
	}
}

// TestTransfersAmongGPUs counts what models on several GPUs copy.
func TestTransfersAmongGPUs(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=3") {
		return
	}
	devices := cuda.TryAllGPUs()
	w := tensor.On(devices[0]).Ones(16, 16)
	inner := friend.Of[*tensor.Tensor]()
	replicas := inner.NewReplicas()
	transfers := cuda.TraceTransfers()
	for range 3 {
		replicas.Of([]*tensor.Tensor{w}, devices) // twice unchanged
	}
	inner.CatOn(devices[0], []*tensor.Tensor{w, tensor.On(devices[1]).Ones(2, 16)}, 0)
	r := transfers.Stop()
	if got := way(r, cuda.DeviceToDevice); got.Copies != 3 || got.Bytes != 2*1024+128 || got.Seconds < 24e-6 || len(r.Ways) != 1 {
		t.Errorf("got %+v, want 3 copies of 2176 bytes in\n%s", got, r)
	}
}

func TestFindings(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=2") {
		return
	}
	gpu := device.CUDA(0)
	small, large := tensor.Ones(4), func() *tensor.Tensor { return tensor.Ones(256, 256) }
	tests := []struct {
		name string
		do   func(i int)
		want string
	}{
		{"fresh batches", func(int) { tensor.Ones(4).To(gpu).AddScalar(1).CPU() }, ""},
		{"the same batch", func(int) { small.To(gpu) }, "loop 7"},
		{"slices of one tensor", func(i int) { small.Narrow(0, i%4, 1).To(gpu) }, ""},
		{"a tensor that changes", func(int) { small.AddScalarInPlace(1).To(gpu) }, ""},
		{"back and forth", func(int) { tensor.Ones(4).To(gpu).CPU() }, "ping-pong 8"},
		{"changed there and back", func(int) { tensor.Ones(4).To(gpu).AddScalarInPlace(1).CPU() }, "ping-pong 8"},
		{"between two GPUs", func(int) { tensor.On(gpu).Ones(4).CUDA(1).CUDA(0) }, "ping-pong 8"},
		{"large pageable batches", func(int) { large().To(gpu) }, "exposed 8"},
		{"large pageable batches that do not block", func(int) { large().To(gpu, tensor.NonBlocking(true)) }, "exposed 8"},
		{"large pinned batches", func(int) { large().PinMemory().To(gpu) }, "exposed 8"},
		{"in the background", func(int) { large().PinMemory().To(gpu, tensor.NonBlocking(true)) }, ""},
		{"large results", func(int) { tensor.On(gpu).Ones(256, 256).CPU() }, ""},
		{"large once", func(i int) { tensor.Ones(64*(i+5), 64).To(gpu) }, ""},
		{"printed", func(int) { _ = tensor.On(gpu).Ones(4).String() }, ""},
	}
	advice := map[string]string{
		"the same batch": "float32[4] went from cpu to cuda:0 8 times at cuda/transfers_test.go:",
		"back and forth": "what went from cpu to cuda:0 at cuda/transfers_test.go:",
		"large pageable batches that do not block": "NonBlocking does nothing for memory that is not pinned",
		"large pinned batches":                     "the memory is pinned: To with tensor.NonBlocking",
	}
	for _, tt := range tests {
		transfers := cuda.TraceTransfers()
		for i := range 8 {
			tt.do(i)
		}
		r := transfers.Stop()
		if got := kinds(r); got != tt.want {
			t.Errorf("%s: got %q, want %q\n%s", tt.name, got, tt.want, r)
		}
		if want := advice[tt.name]; want != "" && !strings.Contains(r.String(), want) {
			t.Errorf("%s: no %q in\n%s", tt.name, want, r)
		}
	}
}

func TestReportAsText(t *testing.T) {
	r := cuda.TransferReport{
		Clock: "measured",
		Ways:  []cuda.Way{{Direction: cuda.HostToDevice, Tally: cuda.Tally{Copies: 12, Bytes: 3 << 19, Seconds: 0.0021}}},
		Routes: []cuda.Route{{
			Site: cuda.Site{File: "/home/me/app/train/main.go", Line: 30, Function: "main.main"}, To: device.CUDA(0),
			Tally: cuda.Tally{Copies: 12, Bytes: 3 << 19, Seconds: 0.0021},
		}},
		Findings: []cuda.Finding{{Kind: cuda.Loop, To: device.CUDA(0), Advice: "move it once"}},
	}
	want := "" +
		"  COPIES    BYTES    TIME  TRANSFERS, measured\n" +
		"      12  1.5 MiB  2.1 ms  host to device\n" +
		"      12  1.5 MiB  2.1 ms  cpu → cuda:0 at train/main.go:30\n" +
		"loop: move it once\n"
	if got := r.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	text, err := json.Marshal(r)
	const route = `"routes":[{"site":{"file":"/home/me/app/train/main.go","line":30,"function":"main.main"},"from":"cpu","to":"cuda:0",` +
		`"direction":"host to device","copies":12,"bytes":1572864,"seconds":0.0021}]`
	if err != nil || !strings.Contains(string(text), route) {
		t.Errorf("%v: no %s in %s", err, route, text)
	}
	if got := (cuda.TransferReport{}).String(); got != "no transfers\n" {
		t.Errorf("nothing is %q", got)
	}
}

// TestTransfersTwice counts with two at once, of which one stops early.
func TestTransfersTwice(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=1") {
		return
	}
	x := tensor.Ones(4)
	first := cuda.TraceTransfers()
	x.CUDA(0)
	second := cuda.TraceTransfers()
	x.CUDA(0)
	early := first.Stop()
	x.CUDA(0)
	late := second.Stop()
	for name, got := range map[string]int{"the first": way(early, cuda.HostToDevice).Copies, "the second": way(late, cuda.HostToDevice).Copies} {
		if got != 2 {
			t.Errorf("%s counts %d copies, want 2", name, got)
		}
	}
	for name, r := range map[string]cuda.TransferReport{"the first": early, "the second": late} {
		if s := way(r, cuda.HostToDevice).Seconds; s < 16e-6 {
			t.Errorf("%s counts %g s of two copies", name, s)
		}
	}
}

// TestTransfersStopAmongCopies stops while goroutines copy, and reads meanwhile.
func TestTransfersStopAmongCopies(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=2") {
		return
	}
	all := cuda.TraceTransfers()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for range 100 {
				tensor.Ones(4).CUDA(g % 2).CPU()
			}
		})
	}
	for range 5 {
		part := cuda.TraceTransfers()
		part.Report()
		stopped := part.Stop()
		if again := part.Report(); again.String() != stopped.String() {
			t.Errorf("a count goes on after Stop:\n%sthen\n%s", stopped, again)
		}
	}
	wg.Wait()
	r := all.Stop()
	if to, back := way(r, cuda.HostToDevice), way(r, cuda.DeviceToHost); to.Copies != 400 || back.Copies != 400 {
		t.Errorf("%d copies to GPUs and %d back, want 400 of each", to.Copies, back.Copies)
	}
}

// TestTransfersSurviveADeadGPU counts on a device that ends.
func TestTransfersSurviveADeadGPU(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=1") {
		return
	}
	transfers := cuda.TraceTransfers()
	table := tensor.On(device.CUDA(0)).Ones(4, 2)
	y := tensor.Embedding(table, tensor.Of([]int{9}).CUDA(0))
	if err := tensor.Try(func() { y.CPU() }); err == nil {
		t.Fatal("an index out of range is no error")
	}
	if r := transfers.Stop(); way(r, cuda.HostToDevice).Copies != 1 {
		t.Errorf("got\n%s", r)
	}
}
