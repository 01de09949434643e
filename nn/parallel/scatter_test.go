package parallel_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/nn"
	"cresset/nn/parallel"
	"cresset/tensor"
)

// spy is a model with one parameter whose replicas share a recorder.
type spy struct {
	Scale *tensor.Tensor
	Saw   *sightings
}

type sightings struct {
	mu   sync.Mutex
	list map[device.Device]string
}

func newSpy() *spy {
	return &spy{Scale: tensor.Parameter(tensor.On(device.CUDA(0)).Ones(1)), Saw: &sightings{list: make(map[device.Device]string)}}
}

func (s *spy) Forward(x *tensor.Tensor) *tensor.Tensor {
	s.note(x.Shape().List())
	return x.Mul(s.Scale)
}

func (s *spy) note(text string) {
	s.Saw.mu.Lock()
	defer s.Saw.mu.Unlock()
	s.Saw.list[s.Scale.Device()] = text
}

// seen returns what was noted, in the order of the devices' names, and forgets it.
func (s *spy) seen() string {
	var all []string
	for _, dev := range slices.SortedFunc(maps.Keys(s.Saw.list), func(a, b device.Device) int { return strings.Compare(a.String(), b.String()) }) {
		all = append(all, s.Saw.list[dev])
	}
	clear(s.Saw.list)
	return strings.Join(all, " ")
}

// TestChunks wants the sizes that PyTorch's chunk gives.
func TestChunks(t *testing.T) {
	for _, c := range []struct {
		rows, devices int
		want          string
	}{
		{16, 2, "[8] [8]"}, {10, 3, "[4] [4] [2]"}, {16, 3, "[6] [6] [4]"}, {7, 3, "[3] [3] [1]"}, {5, 2, "[3] [2]"}, {9, 4, "[3] [3] [3]"},
		{5, 4, "[2] [2] [1]"}, {6, 4, "[2] [2] [2]"}, {1, 2, "[1]"}, {3, 4, "[1] [1] [1]"}, {0, 2, "[0] [0]"}, {30, 4, "[8] [8] [8] [6]"},
	} {
		s := newSpy()
		d := wrap(t, s, parallel.DeviceIDs(ids(c.devices)...))
		x := tensor.Arange(0, c.rows, 1).Float()
		y := d.Forward(x)
		if got := s.seen(); got != c.want {
			t.Errorf("%d rows on %d GPUs: got %s, want %s", c.rows, c.devices, got, c.want)
		}
		if got := y.Detach(); got.Device() != device.CUDA(0) || !slices.Equal(tensor.Values[float64](got), tensor.Values[float64](x)) {
			t.Errorf("%d rows on %d GPUs: got %v", c.rows, c.devices, got)
		}
	}
}

// TestOtherAxes divides along other axes than the first, for inputs that lie on the CPU, on the main GPU and on another.
func TestOtherAxes(t *testing.T) {
	x := tensor.Arange(0, 30, 1).Float().Reshape(2, 5, 3)
	for _, from := range []device.Device{device.CPU, device.CUDA(0), device.CUDA(3)} {
		for dim, want := range map[int]string{0: "[1, 5, 3] [1, 5, 3]", 1: "[2, 3, 3] [2, 2, 3]", -1: "[2, 5, 2] [2, 5, 1]"} {
			s := newSpy()
			y := wrap(t, s, parallel.DeviceIDs(ids(2)...), parallel.Dim(dim)).Forward(x.To(from))
			if got := s.seen(); got != want {
				t.Errorf("dim %d: got %s, want %s", dim, got, want)
			}
			if !y.Shape().Equal(x.Shape()) || !slices.Equal(tensor.Values[float64](y.Detach()), tensor.Values[float64](x)) {
				t.Errorf("dim %d of a tensor on %s: got %v", dim, from, y)
			}
		}
	}
}

// batch is an input with all that can be divided, and all that cannot.
type batch struct {
	X      *tensor.Tensor
	List   []*tensor.Tensor
	Pair   [2]*tensor.Tensor
	Named  map[string]*tensor.Tensor
	Any    any
	Inner  struct{ Y *tensor.Tensor }
	None   *tensor.Tensor
	Empty  []*tensor.Tensor
	Name   string
	Number int
	Whole  *spy
	hidden int
}

func newBatch(rows int) batch {
	rising := func() *tensor.Tensor { return tensor.Arange(0, rows, 1).Float() }
	b := batch{X: rising(), List: []*tensor.Tensor{rising(), rising()}, Pair: [2]*tensor.Tensor{rising(), rising()}, Named: map[string]*tensor.Tensor{"a": rising()},
		Any: []any{rising(), 7}, Name: "n", Number: 3, Whole: newSpy(), hidden: 5}
	b.Inner.Y = rising()
	return b
}

func TestNestedInputs(t *testing.T) {
	in := newBatch(5)
	s := newSpy()
	d := wrap(t, s, parallel.DeviceIDs(ids(2)...))
	out := parallel.Call(d, in, func(s *spy, b batch) *tensor.Tensor {
		dev := s.Scale.Device()
		s.note(fmt.Sprintf("%v %v %v %v %v %v %v %v", b.X.Shape(), b.Any.([]any)[1], b.None == nil, len(b.Empty), b.Name, b.Number, b.Whole == in.Whole, b.hidden))
		sum := b.X
		for _, x := range []*tensor.Tensor{b.List[0], b.List[1], b.Pair[0], b.Pair[1], b.Named["a"], b.Any.([]any)[0].(*tensor.Tensor), b.Inner.Y} {
			if x.Device() != dev {
				panic(fmt.Sprintf("%s on %s", x.Device(), dev))
			}
			sum = sum.Add(x)
		}
		return sum.Mul(s.Scale)
	})
	if got, want := s.seen(), "torch.Size([3]) 7 true 0 n 3 true 5 torch.Size([2]) 7 true 0 n 3 true 5"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := tensor.Values[int64](out.Detach()); !slices.Equal(got, []int64{0, 8, 16, 24, 32}) {
		t.Errorf("got %v", got)
	}
	if in.X.Device() != device.CPU || in.List[0].Size(0) != 5 {
		t.Error("the input was changed")
	}
}

func TestInputsWithoutTensors(t *testing.T) {
	s := newSpy()
	d := wrap(t, s, parallel.DeviceIDs(ids(3)...))
	if got := parallel.Call(d, 5, func(s *spy, n int) *tensor.Tensor { return s.Scale.MulScalar(n) }); got.Size(0) != 3 {
		t.Errorf("a number gave %v, want one result of each GPU", got)
	}
	if got := parallel.Call(d, struct{}{}, func(s *spy, _ struct{}) *tensor.Tensor { return s.Scale }); got.Size(0) != 1 {
		t.Errorf("nothing gave %v, want one call", got)
	}
}

// TestUnequalInputs is the trap: what PyTorch loses without a word is an error.
func TestUnequalInputs(t *testing.T) {
	type pair struct{ X, Y *tensor.Tensor }
	in := pair{tensor.Ones(4), tensor.Ones(1)}
	product := func(s *spy, in pair) *tensor.Tensor { return in.X.Mul(in.Y).Mul(s.Scale) }
	s := newSpy()
	err := tensor.Try(func() { parallel.Call(wrap(t, s, parallel.DeviceIDs(ids(2)...)), in, product) })
	if err == nil || !strings.Contains(err.Error(), "inputs are divided into 2 and 1 parts along dimension 0, so rows would be lost") {
		t.Errorf("got %v", err)
	}
	d := wrap(t, s, parallel.DeviceIDs(ids(2)...), parallel.DropRows(true))
	if got := parallel.Call(d, in, product); got.Size(0) != 2 {
		t.Errorf("got %v, want the first two rows as in PyTorch", got)
	}
}

func TestInputsThatCannotBeDivided(t *testing.T) {
	d := wrap(t, newSpy(), parallel.DeviceIDs(ids(2)...))
	type closed struct{ x *tensor.Tensor }
	type closedList struct{ xs map[string][]*tensor.Tensor }
	for want, f := range map[string]func(){
		"chunk expects at least a 1-dimensional tensor": func() { d.Forward(tensor.Of(1.0)) },
		"field x of parallel_test.closed holds a tensor and is not exported: it cannot be divided": func() {
			parallel.Call(d, closed{tensor.Ones(2)}, func(*spy, closed) *tensor.Tensor { return nil })
		},
		"field xs of parallel_test.closedList holds a tensor and is not exported: it cannot be divided": func() {
			in := closedList{map[string][]*tensor.Tensor{"x": {tensor.Ones(2)}}}
			parallel.Call(d, in, func(*spy, closedList) *tensor.Tensor { return nil })
		},
		"a DataParallel is made by NewDataParallel": func() { new(parallel.DataParallel[*spy]).Forward(tensor.Ones(2)) },
	} {
		if err := tensor.Try(f); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestChunksOnTheirDeviceAreViews: in place changes of the main GPU's part are the caller's.
func TestChunksOnTheirDeviceAreViews(t *testing.T) {
	x := tensor.On(device.CUDA(0)).Ones(4)
	parallel.Call(wrap(t, newSpy(), parallel.DeviceIDs(ids(2)...)), x, func(_ *spy, x *tensor.Tensor) *tensor.Tensor { return x.AddScalarInPlace(1) })
	if got := tensor.Values[int64](x); !reflect.DeepEqual(got, []int64{2, 2, 1, 1}) {
		t.Errorf("got %v", got)
	}
}

func TestGradientsReachTheInput(t *testing.T) {
	for _, dev := range []device.Device{device.CPU, device.CUDA(0), device.CUDA(1)} {
		x := tensor.On(dev).Ones(5).SetRequiresGrad(true)
		s := newSpy()
		nn.To(s, device.CUDA(0))
		wrap(t, s, parallel.DeviceIDs(ids(2)...)).Forward(x.MulScalar(2)).Mul(tensor.On(device.CUDA(0)).Arange(0, 5, 1)).Sum().Backward()
		if got := tensor.Values[int64](x.Grad()); x.Grad().Device() != dev || !slices.Equal(got, []int64{0, 2, 4, 6, 8}) {
			t.Errorf("%s: got %v", dev, x.Grad())
		}
	}
}
