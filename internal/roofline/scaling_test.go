package roofline

import (
	"math"
	"testing"

	"cresset/internal/hardware"
)

// TestScale compares steps with what follows from their bytes by hand.
func TestScale(t *testing.T) {
	m, err := hardware.Preset("h100", 1)
	if err != nil {
		t.Fatal(err)
	}
	g := &m.GPUs[0]
	training := Training{Layers: 2, Width: 100, Hidden: 200, Vocabulary: 1000, Tokens: 64, Reached: 0.5}
	layer, table := 4e4+6e4, 1e5
	all := 2*layer + table
	compute := 3 * 2 * all * 64 / (0.5 * Peak(g, Tensor16))
	adam := 28 / (reached * Bandwidth(g))
	free := Network{Node: 8, Inside: math.Inf(1), Between: math.Inf(1)}
	slow := Network{Node: 8, Inside: 1e-4, Between: 1e-4}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: got %g, want %g", what, got, want)
		}
	}
	near("DDP without a network", training.Scale(g, free, DDP, 64).Time, compute+adam*all)
	near("ZeRO-3 without a network", training.Scale(g, free, ZeRO3, 64).Time, compute+adam*all/64)
	near("tensor parallel without a network", training.Scale(g, free, TensorParallel, 64).Time, compute+adam*all/8)
	// Where links are slow, nothing else takes time: what is sent of each byte is 7/8 within machines, and of an eighth 7/8 between them.
	passed := (7./8 + 7./64) / 1e-4
	near("DDP", training.Scale(g, slow, DDP, 64).Time/(2*4*all*passed), 1)
	near("ZeRO-1", training.Scale(g, slow, ZeRO1, 64).Time/((2+4)*all*passed), 1)
	near("ZeRO-3", training.Scale(g, slow, ZeRO3, 64).Time/((2+2+4)*all*passed), 1)
	sums := 3 * 2 * 2 * 2 * 2. * 64 * 8 * 100 * (7. / 8) / 1e-4
	near("tensor parallel", training.Scale(g, slow, TensorParallel, 8).Time/sums, 1)
	for s, want := range map[Strategy]float64{DDP: 18 * all, ZeRO1: 16*all/64 + 4*all, ZeRO2: 16*all/64 + 2*all, ZeRO3: 16*all/64 + 14*layer, TensorParallel: 18 * all / 8} {
		near("memory", training.Scale(g, free, s, 64).Memory, want)
	}
}

// TestOverlap: of the time in which gradients of 12 layers are on their way, Backward covers four fifths at least within a machine. Between machines a layer's float32 gradients take
// longer than what computes them: then no order or size of messages covers more than Backward lasts, and what ddp does, a message a layer, loses the first and the last layer's alone. Twice the
// tokens, or gradients of two bytes, are covered again.
func TestOverlap(t *testing.T) {
	m, err := hardware.Preset("h100", 1)
	if err != nil {
		t.Fatal(err)
	}
	g := &m.GPUs[0]
	training := Training{Layers: 12, Width: 4096, Hidden: 11008, Vocabulary: 32000, Tokens: 4096, Reached: 0.5}
	net := Network{Node: 8, Inside: 405, Between: 45, InsideStart: 5000, BetweenStart: 15000}
	for _, test := range []struct {
		ranks, tokens int
		bytes         float64 // of a gradient
		want          float64
	}{{8, 4096, 4, 0.9}, {64, 4096, 4, 0.7}, {1024, 4096, 4, 0.7}, {64, 8192, 4, 0.8}, {1024, 8192, 4, 0.8}, {64, 4096, 2, 0.8}, {1024, 4096, 2, 0.8}} {
		training.Tokens = test.tokens
		c := &clocks{training: training, gpu: g, net: net, ranks: test.ranks, layers: training.layers()}
		sent, longest := 0., 0.
		c.backward(nil, func(p float64) float64 {
			took := 2 * net.pass(test.ranks, 1, test.bytes*p)
			sent, longest = sent+took, max(longest, took)
			return took
		})
		covered, most := 1-(c.link-c.gpuTime)/sent, min(1, c.gpuTime/sent)
		t.Logf("%d GPUs, %d tokens each, gradients of %.0f bytes: %.1f ms of messages beside %.1f ms of Backward, %.0f %% covered", test.ranks, test.tokens, test.bytes, sent/1e6, c.gpuTime/1e6, 100*covered)
		if covered < test.want || covered < most-2*longest/sent {
			t.Errorf("%d GPUs: %.2f of the messages' time is covered, of %.2f that can be", test.ranks, covered, most)
		}
	}
}
