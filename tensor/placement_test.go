package tensor_test

import (
	"errors"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/internal/op"
	"cresset/internal/race"
	"cresset/tensor"
)

// traced traces placement until the test ends.
func traced(t *testing.T) {
	tensor.TracePlacement(true)
	t.Cleanup(func() { tensor.TracePlacement(false) })
}

// hintOf returns the hint of the error that f panics with.
func hintOf(t *testing.T, f func()) string {
	t.Helper()
	var e *tensor.Error
	if err := tensor.Try(f); !errors.As(err, &e) {
		t.Fatalf("got %v, want a *tensor.Error", err)
	}
	return e.Hint()
}

var lineNumber = regexp.MustCompile(`_test\.go:\d+`)

// TestHintsMendDevices has one row for each way in which the operands of an op come to lie apart.
func TestHintsMendDevices(t *testing.T) {
	first, second := gpus(t)
	on := func(dev device.Device, sizes ...int) *tensor.Tensor { return tensor.On(dev).Ones(sizes...) }
	tests := []struct {
		name string
		do   func()
		want string // operands, then the call; "made" stands for where the ones were made
	}{
		{"tensors", func() { on(device.CPU, 2).Add(on(first, 2)) },
			"x float32[2] on cpu, made|y float32[2] on cuda:0, made|x.To(y.Device()) moves x to cuda:0"},
		{"two GPUs", func() { on(second, 2, 3).Mul(on(first, 3)) },
			"x float32[2, 3] on cuda:1, made|y float32[3] on cuda:0, made|y.To(x.Device()) moves y to cuda:1"},
		{"in place", func() { on(device.CPU, 2).AddInPlace(on(first, 2)) },
			"x float32[2] on cpu, made|y float32[2] on cuda:0, made|x.To(y.Device()) moves x to cuda:0"},
		{"where", func() { tensor.Where(on(first, 2).GtScalar(0), on(device.CPU, 2), 1) },
			"condition bool[2] on cuda:0, made by gt at|x float32[2] on cpu, made|x.To(condition.Device()) moves x to cuda:0"},
		{"mm", func() { on(device.CPU, 2, 2).MM(on(first, 2, 2)) },
			"x float32[2, 2] on cpu, made|mat2 float32[2, 2] on cuda:0, made|x.To(mat2.Device()) moves x to cuda:0"},
		{"cat", func() { tensor.Cat([]*tensor.Tensor{on(first, 2), on(device.CPU, 2)}, 0) },
			"tensors[0] float32[2] on cuda:0, made|tensors[1] float32[2] on cpu, made|tensors[1].To(tensors[0].Device()) moves tensors[1] to cuda:0"},
		{"index", func() { on(device.CPU, 3).Index(tensor.Of([]int{1}).CUDA(0)) },
			"x float32[3] on cpu, made|index int64[1] on cuda:0, copied from cpu at|x.To(index.Device()) moves x to cuda:0"},
		{"gather", func() { on(first, 3).Gather(0, tensor.Of([]int{1})) },
			"x float32[3] on cuda:0, made|index int64[1] on cpu, made by tensor at|index.To(x.Device()) moves index to cuda:0"},
		{"targets", func() { tensor.CrossEntropy(on(first, 2, 3), tensor.Of([]int{1, 2})) },
			"x float32[2, 3] on cuda:0, made by ones at|target int64[2] on cpu, made by tensor at|target.To(x.Device()) moves target to cuda:0"},
		{"class weights", func() {
			tensor.CrossEntropy(on(first, 2, 3), tensor.Of([]int{1, 2}).CUDA(0), tensor.Weight(on(device.CPU, 3)))
		}, "x float32[2, 3] on cuda:0, made by ones at|weights float32[3] on cpu, made|weights.To(x.Device()) moves weights to cuda:0"},
		{"model on the CPU", func() { on(first, 2, 3).Linear(on(device.CPU, 1, 3), on(device.CPU, 1)) },
			"input float32[2, 3] on cuda:0, made|weight float32[1, 3] on cpu, made|bias float32[1] on cpu, made|nn.To(net, input.Device()) moves the model to cuda:0"},
		{"input on the CPU", func() { on(device.CPU, 2, 3).Linear(on(first, 1, 3), nil) },
			"input float32[2, 3] on cpu, made|weight float32[1, 3] on cuda:0, made|input.To(weight.Device()) moves input to the model on cuda:0"},
		{"model on another GPU", func() { on(first, 2, 3).Linear(on(second, 1, 3), on(second, 1)) },
			"input float32[2, 3] on cuda:0, made|weight float32[1, 3] on cuda:1, made|bias float32[1] on cuda:1, made|input.To(weight.Device()) moves input to the model on cuda:1"},
		{"one parameter alone", func() { on(first, 2, 3).Linear(on(first, 1, 3), on(device.CPU, 1)) },
			"input float32[2, 3] on cuda:0, made|weight float32[1, 3] on cuda:0, made|bias float32[1] on cpu, made|" +
				"nn.To(net, device.CUDA(0)) moves the whole model: its parameters are on cuda:0 and cpu"},
		{"convolution", func() {
			on(first, 1, 1, 3, 3).Conv2D(on(device.CPU, 1, 1, 2, 2), nil)
		}, "input float32[1, 1, 3, 3] on cuda:0, made|weight float32[1, 1, 2, 2] on cpu, made|nn.To(net, input.Device()) moves the model to cuda:0"},
		{"batch norm", func() {
			on(first, 2, 3).BatchNorm(on(device.CPU, 3), on(device.CPU, 3), nil, nil, tensor.Training(true))
		}, "input float32[2, 3] on cuda:0, made|weight float32[3] on cpu, made|nn.To(net, input.Device()) moves the model to cuda:0"},
		{"mask", func() { on(first, 2).MaskedFill(on(device.CPU, 2).GtScalar(0), 1) },
			"x float32[2] on cuda:0, made|mask bool[2] on cpu, made by gt at|mask.To(x.Device()) moves mask to cuda:0"},
		{"vector", func() { on(first, 2, 2).MV(on(device.CPU, 2)) },
			"x float32[2, 2] on cuda:0, made|vec float32[2] on cpu, made|vec.To(x.Device()) moves vec to cuda:0"},
		{"bias of a convolution", func() {
			on(first, 1, 1, 2, 2).Conv2D(on(first, 1, 1, 1, 1), on(device.CPU, 1))
		}, "input float32[1, 1, 2, 2] on cuda:0, made|weight float32[1, 1, 1, 1] on cuda:0, made|bias float32[1] on cpu, made|" +
			"nn.To(net, device.CUDA(0)) moves the whole model: its parameters are on cuda:0 and cpu"},
		{"gradient to begin with", func() { tensor.Parameter(on(first, 2)).MulScalar(2).Backward(tensor.Gradient(on(device.CPU, 2))) },
			"output float32[2] on cuda:0, made by mul at|gradient float32[2] on cpu, made|gradient.To(output.Device()) moves gradient to cuda:0"},
		{"embedding", func() { tensor.Embedding(on(first, 4, 2), tensor.Of([]int{1})) },
			"weight float32[4, 2] on cuda:0, made|index int64[1] on cpu, made by tensor at|index.To(weight.Device()) moves index to the model on cuda:0"},
		{"optimizer state", func() {
			p := tensor.Parameter(on(first, 2))
			sgdStep(p, on(first, 2), on(device.CPU, 2), op.SGD{LR: 1})
		}, "parameter float32[2] on cuda:0, made|momentum float32[2] on cpu, made|gradient float32[2] on cuda:0, made|" +
			"move the model with nn.To before the optimizer's first step: the optimizer's state stays where it was made"},
		{"optimizer state of an update", func() {
			p := tensor.Parameter(on(first, 2))
			updateStep(op.AdamaxStep, op.Update{}, p, on(first, 2), on(first, 2), on(device.CPU, 2))
		}, "parameter float32[2] on cuda:0, made|state float32[2] on cuda:0, made|state float32[2] on cpu, made|gradient float32[2] on cuda:0, made|" +
			"move the model with nn.To before the optimizer's first step: the optimizer's state stays where it was made"},
		{"gradient", func() { tensor.Parameter(on(first, 2)).SetGrad(on(device.CPU, 2)) },
			"gradient float32[2] on cpu, made|parameter float32[2] on cuda:0, made|gradient.To(parameter.Device()) moves gradient to the model on cuda:0"},
		{"slice", func() { tensor.Data[float32](on(first, 2)) },
			"x float32[2] on cuda:0, made|x.CPU() copies it to the host"},
	}
	traced(t)
	for _, tt := range tests {
		if first == second && strings.Contains(tt.want, "cuda:1") {
			continue // it is about two GPUs
		}
		got := lineNumber.ReplaceAllString(hintOf(t, tt.do), "")
		want := "operands:\n  " + tt.want
		last := strings.LastIndexByte(want, '|')
		want = strings.ReplaceAll(want[:last], "|", "\n  ") + "\n" + want[last+1:]
		want = strings.ReplaceAll(want, "made\n", "made by ones at\n")
		want = strings.ReplaceAll(want, " at\n", " at tensor/placement\n")
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

func TestGradientOfAnotherGPU(t *testing.T) {
	first, second := gpus(t)
	if first == second {
		t.Skip("it is about two GPUs")
	}
	err := tensor.Try(func() { tensor.Parameter(tensor.On(first).Ones(2)).SetGrad(tensor.On(second).Ones(3)) })
	const want = "attempting to assign a gradient located on device with index '1' to a tensor located on device with index '0'. " +
		"Please ensure that the gradient and the tensor are on the same device"
	if !errors.Is(err, tensor.ErrDevice) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestHintTellsOfAForgottenTo uses a tensor whose copy was meant.
func TestHintTellsOfAForgottenTo(t *testing.T) {
	first := gpu(t)
	traced(t)
	_, _, line, _ := runtime.Caller(0)
	x := tensor.Ones(2) // line + 1
	x.To(first)         // line + 2
	y := tensor.Of([]float32{1, 2}).To(first)
	got := hintOf(t, func() { x.Add(y) })
	number := func(i int) string { return "tensor/placement_test.go:" + strconv.Itoa(line+i) }
	want := "operands:\n  x float32[2] on cpu, made by ones at " + number(1) + "\n  y float32[2] on cuda:0, copied from cpu at " + number(3) + "\n" +
		"x was copied to cuda:0 at " + number(2) + ", but To returns a new tensor and this is the old one: x = x.To(device.CUDA(0))"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	w := tensor.Parameter(tensor.Ones(1, 2))
	w.CUDA(0)
	got = hintOf(t, func() { y.View(1, 2).Linear(w, nil) })
	if !strings.HasSuffix(got, ": nn.To(net, device.CUDA(0)) moves a model in place") {
		t.Errorf("a parameter: %s", got)
	}
}

// TestHintTellsOfNoToThatMendsNothing: that x was copied elsewhere once, to be printed perhaps, is no reason where others
// would still lie apart.
func TestHintTellsOfNoToThatMendsNothing(t *testing.T) {
	first := gpu(t)
	traced(t)
	x := tensor.On(first).Ones(2, 3)
	x.CPU()
	for _, tt := range []struct {
		do   func()
		want string
	}{
		{func() { x.Linear(tensor.On(first).Ones(1, 3), tensor.Ones(1)) }, "nn.To(net, device.CUDA(0)) moves the whole model: its parameters are on cuda:0 and cpu"},
		{func() { tensor.Where(tensor.Ones(2, 3).GtScalar(0), x, x.AddScalar(1)) }, "condition.To(x.Device()) moves condition to cuda:0"},
	} {
		if got := hintOf(t, tt.do); !strings.HasSuffix(got, "\n"+tt.want) {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
}

// TestHintWithoutTracing tells the operands and the call, and how to learn more.
func TestHintWithoutTracing(t *testing.T) {
	first := gpu(t)
	tensor.TracePlacement(false)
	x, y := tensor.Ones(2), tensor.On(first).Ones(2)
	want := "operands: x float32[2] on cpu, y float32[2] on cuda:0\nx.To(y.Device()) moves x to cuda:0; CRESSET_DEBUG=placement tells where each was made"
	if got := hintOf(t, func() { x.Add(y) }); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	traced(t) // x and y are from before
	want = "operands:\n  x float32[2] on cpu\n  y float32[2] on cuda:0\nx.To(y.Device()) moves x to cuda:0"
	if got := hintOf(t, func() { x.Add(y) }); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHintOfACause is handed on by an error that has none, as one that joins those of replicas.
func TestHintOfACause(t *testing.T) {
	first := gpu(t)
	cause := tensor.Try(func() { tensor.Ones(2).Add(tensor.On(first).Ones(2)) })
	e := &tensor.Error{Op: "data_parallel", Kind: tensor.ErrDevice, Err: errors.Join(errors.New("another"), cause)}
	if got := e.Hint(); !strings.Contains(got, "x.To(y.Device())") {
		t.Errorf("got the hint %q", got)
	}
}

// TestPlacementForgetsTheDead makes many tensors, of which little may stay.
func TestPlacementForgetsTheDead(t *testing.T) {
	traced(t)
	before := tensor.Traces()
	for range 1000 {
		tensor.Ones(2).AddScalar(1)
	}
	for range 20 {
		runtime.GC()
		if tensor.Traces() < before+100 {
			return
		}
	}
	t.Errorf("%d traces of 2000 stay", tensor.Traces()-before)
}

func TestPlacementFromManyGoroutines(t *testing.T) {
	first := gpu(t)
	traced(t)
	x := tensor.Ones(2)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				y := x.To(first)
				tensor.Try(func() { x.Add(y) })
				x.SetName("shared")
			}
		})
	}
	for range 20 {
		tensor.TracePlacement(false)
		tensor.TracePlacement(true)
	}
	wg.Wait()
}

func TestPlacementByEnvironment(t *testing.T) {
	for words, want := range map[string]bool{"": false, "placement": true, "other,placement": true, "placements": false, "other": false} {
		if got := tensor.TracesWith(words); got != want {
			t.Errorf("CRESSET_DEBUG=%s: got %v, want %v", words, got, want)
		}
	}
}

// TestPlacementCostsNoAllocation runs an op that is not traced.
func TestPlacementCostsNoAllocation(t *testing.T) {
	if race.Enabled || tensor.Poisons {
		t.Skip("the race detector allocates")
	}
	x := tensor.Ones(4)
	tensor.TracePlacement(false)
	if got := testing.AllocsPerRun(200, func() { x.Add(x).Release() }); got > 2 {
		t.Errorf("an op makes %v allocations, want at most 2", got)
	}
}

// BenchmarkPlacement times an op on four elements, with and without its trace.
func BenchmarkPlacement(b *testing.B) {
	x := tensor.Ones(4)
	for name, on := range map[string]bool{"off": false, "on": true} {
		b.Run(name, func(b *testing.B) {
			tensor.TracePlacement(on)
			defer tensor.TracePlacement(false)
			b.ReportAllocs()
			for b.Loop() {
				x.Add(x)
			}
		})
	}
}
