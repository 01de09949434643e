package cuda_test

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// TestCaptureRules goes through PyTorch's rules of capture, in their order.
func TestCaptureRules(t *testing.T) {
	for _, rules := range []map[string]func(t *testing.T){firstRules, laterRules} {
		for _, name := range slices.Sorted(maps.Keys(rules)) {
			t.Run(name, func(t *testing.T) {
				if race.Enabled && (name == "12 tensor maps" || name == "13 clusters") {
					t.Skip("the interpreter multiplies slowly under the race detector")
				}
				devicetest.Use(t, "h100:2")
				rules[name](t)
			})
		}
	}
}

var laterRules = map[string]func(t *testing.T){
	"07 shapes are frozen": func(t *testing.T) { // and a graph for each shape works
		x, z := tensor.On(gpu).Ones(2), tensor.On(gpu).Ones(3)
		var a, b *tensor.Tensor
		g := captured(t, func() { a = x.AddScalar(1) })
		h := captured(t, func() { b = z.AddScalar(1) })
		if err := tensor.Try(func() { x.CopyInPlace(tensor.Ones(3)) }); err == nil {
			t.Error("data of another shape fits a captured input")
		}
		equal(t, "two elements", replay(t, g, a), 2, 2)
		equal(t, "three elements", replay(t, h, b), 2, 2, 2)
		equal(t, "two elements again", replay(t, g, a), 2, 2)
	},
	"08 a replay under way ends": func(t *testing.T) {
		x := tensor.On(gpu).Ones(1000)
		var y *tensor.Tensor
		g, err := cuda.Capture(func() error {
			y = x
			for range 20 {
				y = y.AddScalar(1)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Replay(); err != nil {
			t.Fatal(err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if low, high := y.Min().Float64(), y.Max().Float64(); low != 21 || high != 21 {
			t.Errorf("got %v to %v, want 21", low, high)
		}
		if err := g.Replay(); err == nil {
			t.Error("a closed graph is replayed")
		}
	},
	"09 gradients and optimizers": func(t *testing.T) {
		p := tensor.Parameter(tensor.On(gpu).Ones(2))
		opt := optim.NewAdam(slicesOf(p), optim.LR(0.5))
		step := func() {
			p.MulScalar(2).Sum().Backward()
			opt.Step()
		}
		if _, err := cuda.Capture(func() error { step(); return nil }); err == nil || !contains(err, "take a step before the capture") {
			t.Errorf("the first step: %v", err)
		}
		p.ZeroGrad()
		step()
		g := captured(t, step) // adds to gradients that are there, as eager steps do
		for range 2 {
			if err := g.Replay(); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, "static gradients", tensor.Values[float32](p.Grad()), 6, 6)
		opt.ZeroGrad()
		fresh := captured(t, step) // and makes those that are not
		for range 2 {
			if err := fresh.Replay(); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, "gradients of the graph", tensor.Values[float32](p.Grad()), 2, 2)
	},
	"10 collectives": func(t *testing.T) { // ranks meet on the host
		err := dist.Spawn(2, func(g *dist.Group) error {
			if g.Rank() == 0 {
				x := tensor.On(gpu).Ones(2)
				_, err := cuda.Capture(func() error { return g.AllReduce(x, dist.Sum).Wait(context.Background()) })
				var refused *cuda.CaptureError
				if !errors.As(err, &refused) || !contains(err, "ranks meet between replays") {
					t.Errorf("got %v", err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	},
	"11 no nodes that allocate": func(t *testing.T) {
		x := tensor.On(gpu).Ones(1000)
		g := captured(t, func() { x.AddScalar(1).MulScalar(2).Sum() })
		allocated, reserved := cuda.MemoryAllocated(), cuda.MemoryReserved()
		for range 5 {
			if err := g.Replay(); err != nil {
				t.Fatal(err)
			}
		}
		if a, r := cuda.MemoryAllocated(), cuda.MemoryReserved(); a != allocated || r != reserved {
			t.Errorf("%d bytes of %d became %d of %d", allocated, reserved, a, r)
		}
	},
	"12 tensor maps": func(t *testing.T) { // are frozen with address and shape, which a graph's inputs keep
		a, b := tensor.On(gpu).As(dtype.BFloat16).Randn(256, 256), tensor.On(gpu).As(dtype.BFloat16).Randn(256, 256)
		var y *tensor.Tensor
		g := captured(t, func() { y = a.MM(b) })
		for range 2 {
			a.NormalInPlace(0, 1)
			if err := g.Replay(); err != nil {
				t.Fatal(err)
			}
			if !y.Equal(a.MM(b)) {
				t.Error("a product in a graph has other bits")
			}
		}
	},
	"13 clusters": func(t *testing.T) {
		gpus := devicetest.Use(t, "h100:1")
		a, b := tensor.On(gpu).As(dtype.BFloat16).Randn(256, 256), tensor.On(gpu).As(dtype.BFloat16).Randn(256, 256)
		g := captured(t, func() { a.MM(b) })
		if err := g.Replay(); err != nil {
			t.Fatal(err)
		}
		if gpus.Calls("cuGraphKernelNodeSetAttribute") == 0 {
			t.Error("the product is no launch in clusters")
		}
	},
}

func contains(err error, part string) bool { return err != nil && strings.Contains(err.Error(), part) }

func slicesOf(p *tensor.Tensor) iter.Seq2[string, *tensor.Tensor] {
	return func(yield func(string, *tensor.Tensor) bool) { yield("p", p) }
}

// TestDecodesAsAGraph: a step of a decoder whose cache has a fixed size, and whose place in it is a tensor, writes keys and values, attends to what is
// there, and goes on by itself.
func TestDecodesAsAGraph(t *testing.T) {
	devicetest.Use(t, "h100:1")
	const room, width, vocabulary, tokens = 8, 16, 12, 6
	run := func(graphed bool) (chosen []int64) {
		tensor.ManualSeed(2)
		embed := nn.NewEmbedding(vocabulary, width, nn.On(gpu))
		qkv, head := nn.NewLinear(width, 3*width, nn.On(gpu)), nn.NewLinear(width, vocabulary, nn.On(gpu))
		keys, values := tensor.On(gpu).Zeros(1, 1, room, width), tensor.On(gpu).Zeros(1, 1, room, width)
		places := tensor.On(gpu).Arange(0, room, 1)
		at, token := tensor.On(gpu).As(dtype.Int64).Zeros(1), tensor.On(gpu).As(dtype.Int64).Zeros(1)
		step := func() error {
			parts := qkv.Forward(embed.Forward(token)).Detach().View(1, 1, 1, 3*width).Chunk(3, -1)
			keys.IndexCopyInPlace(2, at, parts[1])
			values.IndexCopyInPlace(2, at, parts[2])
			y := tensor.ScaledDotProductAttention(parts[0], keys, values, tensor.AttnMask(places.Le(at).View(1, room)))
			token.CopyInPlace(head.Forward(y.View(1, width)).ArgMaxAxis(1))
			at.AddScalarInPlace(1)
			return nil
		}
		next := step
		if graphed {
			g, err := cuda.Capture(step)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			next = g.Replay
		}
		for range tokens {
			if err := next(); err != nil {
				t.Fatal(err)
			}
			chosen = append(chosen, tensor.Values[int64](token)...)
		}
		return chosen
	}
	if got, want := run(true), run(false); !slices.Equal(got, want) {
		t.Errorf("the graph chose %v, want %v", got, want)
	}
}

func TestIsCapturing(t *testing.T) {
	devicetest.Use(t, "h100:2")
	if cuda.IsCapturing() {
		t.Error("before a capture")
	}
	x := tensor.On(gpu).Ones(2)
	captured(t, func() {
		x.AddScalar(1)
		other := make(chan bool)
		go func() { other <- cuda.IsCapturing() }()
		if !cuda.IsCapturing() || cuda.IsCapturing(1) || <-other {
			t.Error("in a capture")
		}
	})
	if cuda.IsCapturing() {
		t.Error("after a capture")
	}
	if _, err := cuda.Capture(func() error { return nil }); !contains(err, "nothing was issued to cuda:0") {
		t.Errorf("an empty capture: %v", err)
	}
}

// TestAutocastAroundGraphs: within one scope, weights are cast anew in a graph, in each replay, and after it.
func TestAutocastAroundGraphs(t *testing.T) {
	devicetest.Use(t, "h100:1")
	scope := tensor.NewScope(tensor.Autocast(dtype.BFloat16))
	defer scope.Close()
	x, w := scope.Enter(tensor.On(gpu).Ones(1, 1)), tensor.Parameter(tensor.On(gpu).Ones(1, 1))
	product := func() *tensor.Tensor { return x.MM(w).Detach().Float() }
	value := func(y *tensor.Tensor) float64 { return y.Float64() }
	if got := value(product()); got != 1 {
		t.Fatalf("before the capture: %v", got)
	}
	var y *tensor.Tensor
	g := captured(t, func() {
		y = product()
		w.Detach().AddScalarInPlace(1)
	})
	if got := value(product()); got != 1 {
		t.Errorf("after the capture: %v, want 1", got)
	}
	for n := range 3 {
		if err := g.Replay(); err != nil {
			t.Fatal(err)
		}
		if got := value(y); got != float64(n+1) {
			t.Errorf("replay %d: %v, want %d", n, got, n+1)
		}
		if got := value(product()); got != float64(n+2) {
			t.Errorf("after replay %d: %v, want %d", n, got, n+2)
		}
	}
}
