package tensor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/kern/vec"
	"cresset/tensor"
)

// FuzzPrograms runs programs over the public API on every set of vector instructions of the machine and on a GPU: views, changes
// in place, ops and gradients. All must fail at the same steps and give the same shapes and bits. A byte is a step or one of its
// operands.
func FuzzPrograms(f *testing.F) {
	devicetest.Simulate(f)
	draws := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		code := make([]byte, 24+draws.IntN(40))
		for i := range code {
			code[i] = byte(draws.Uint32())
		}
		f.Add(code)
	}
	best, gpu := vec.Current(), device.CUDA(0)
	f.Fuzz(func(t *testing.T, code []byte) {
		code = code[:min(len(code), 64)]
		defer vec.Use(best)
		want := execute(code, device.CPU)
		for _, level := range vec.Available()[1:] {
			vec.Use(level)
			want.compare(t, execute(code, device.CPU), level.String())
		}
		vec.Use(best)
		if len(code)%8 == 0 { // it is simulated, which takes a hundred times as long
			want.compare(t, execute(code, gpu), gpu.String())
		}
	})
}

// execution is what a program did: the shapes and values that it left, and the errors on its way.
type execution struct {
	log    []string
	values [][]float64
	sums   bool // there are sums, which devices add up in another order
}

func (e *execution) compare(t *testing.T, other *execution, where string) {
	t.Helper()
	if !slices.Equal(e.log, other.log) {
		t.Fatalf("%s:\n%q\nwant\n%q", where, other.log, e.log)
	}
	if e.sums && where == device.CUDA(0).String() {
		return
	}
	for i, want := range e.values {
		for k, w := range want {
			if got := other.values[i][k]; math.Float64bits(got) != math.Float64bits(w) && !(math.IsNaN(got) && math.IsNaN(w)) {
				t.Fatalf("%s: tensor %d, element %d is %v, want %v, after\n%q", where, i, k, got, w, e.log)
			}
		}
	}
}

// machine runs a program over a few tensors.
type machine struct {
	code []byte
	on   device.Device
	pool []*tensor.Tensor
	*execution
}

// next returns the next byte of the program, below n.
func (m *machine) next(n int) int {
	if len(m.code) == 0 {
		return 0
	}
	b := m.code[0]
	m.code = m.code[1:]
	return int(b) % n
}

func (m *machine) operand() *tensor.Tensor { return m.pool[m.next(len(m.pool))] }

const poolSize = 10

func execute(code []byte, dev device.Device) *execution {
	m := &machine{code: code, on: dev, execution: new(execution)}
	dt := []dtype.DType{dtype.Float32, dtype.Float32, dtype.Float64, dtype.Float16}[m.next(4)]
	leaves := []*tensor.Tensor{m.leaf(dt, 2, 3), m.leaf(dt, 3), m.leaf(dt, 2, 1)}
	m.pool = append(m.pool, leaves...)
	m.pool = append(m.pool, m.leaf(dt, 2, 3).Detach())
	for step := 0; len(m.code) > 0; step++ {
		var y *tensor.Tensor
		s := instructions[m.next(len(instructions))]
		err := tensor.Try(func() { y = s.run(m) })
		if err != nil {
			m.log = append(m.log, s.name+" failed")
			continue
		}
		m.log = append(m.log, fmt.Sprintf("%s %v %s %v", s.name, y.Shape(), y.DType(), y.RequiresGrad()))
		if y.NumEl() > 64 {
			continue
		}
		if len(m.pool) < poolSize {
			m.pool = append(m.pool, y)
		} else {
			m.pool[len(leaves)+step%(poolSize-len(leaves))] = y
		}
	}
	for _, x := range m.pool {
		m.keep(x.Detach())
	}
	last := m.pool[len(m.pool)-1]
	err := tensor.Try(func() { last.Backward(tensor.Gradient(tensor.OnesLike(last))) })
	m.log = append(m.log, fmt.Sprintf("backward %v", err == nil))
	for _, x := range leaves {
		if g := x.Grad(); g != nil {
			m.log = append(m.log, fmt.Sprint("gradient ", g.Shape()))
			m.keep(g)
		}
	}
	return m.execution
}

func (m *machine) keep(x *tensor.Tensor) { m.values = append(m.values, tensor.Values[float64](x)) }

// leaf returns a leaf whose elements the program chooses.
func (m *machine) leaf(dt dtype.DType, sizes ...int) *tensor.Tensor {
	choice := []float32{0, 1, -1, 0.5, -2, 3, 1e-3, -0.25, 7, 100, -1e4, float32(math.Inf(1)), float32(math.NaN())}
	v := make([]float32, extent(sizes))
	at := m.next(len(choice))
	for i := range v {
		v[i] = choice[(at+i*(1+at%3))%len(choice)]
	}
	return tensor.FromSlice(v, sizes...).To(m.on, dt).SetRequiresGrad(true)
}

// instruction is what one byte of a program does.
type instruction struct {
	name string
	run  func(m *machine) *tensor.Tensor
}

func one(f func(x *tensor.Tensor) *tensor.Tensor) func(m *machine) *tensor.Tensor {
	return func(m *machine) *tensor.Tensor { return f(m.operand()) }
}

func two(f func(x, y *tensor.Tensor) *tensor.Tensor) func(m *machine) *tensor.Tensor {
	return func(m *machine) *tensor.Tensor {
		x := m.operand()
		y := m.operand()
		m.sums = m.sums || !x.Shape().Equal(y.Shape()) // the gradient of a broadcast operand is a sum
		return f(x, y)
	}
}

// axis has f choose among the axes of an operand.
func axis(f func(m *machine, x *tensor.Tensor, axis int) *tensor.Tensor) func(m *machine) *tensor.Tensor {
	return func(m *machine) *tensor.Tensor {
		x := m.operand()
		return f(m, x, m.next(max(x.Dim(), 1)))
	}
}

var instructions = []instruction{
	{"add", two((*tensor.Tensor).Add)},
	{"sub", two((*tensor.Tensor).Sub)},
	{"mul", two((*tensor.Tensor).Mul)},
	{"div", two((*tensor.Tensor).Div)},
	{"maximum", two((*tensor.Tensor).Maximum)},
	{"where", two(func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.Where(x.Gt(y), x, y) })},
	{"exp", one((*tensor.Tensor).Exp)},
	{"tanh", one((*tensor.Tensor).Tanh)},
	{"sigmoid", one((*tensor.Tensor).Sigmoid)},
	{"relu", one((*tensor.Tensor).ReLU)},
	{"neg", one((*tensor.Tensor).Neg)},
	{"clone", one((*tensor.Tensor).Clone)},
	{"detach", one((*tensor.Tensor).Detach)},
	{"add in place", two((*tensor.Tensor).AddInPlace)},
	{"mul in place", two((*tensor.Tensor).MulInPlace)},
	{"copy in place", two((*tensor.Tensor).CopyInPlace)},
	{"relu in place", one((*tensor.Tensor).ReLUInPlace)},
	{"scale in place", one(func(x *tensor.Tensor) *tensor.Tensor { return x.MulScalarInPlace(0.5) })},
	{"t", one((*tensor.Tensor).T)},
	{"flatten", one(func(x *tensor.Tensor) *tensor.Tensor { return x.Reshape(-1) })},
	{"view", one(func(x *tensor.Tensor) *tensor.Tensor { return x.View(-1, 1) })},
	{"select", axis(func(m *machine, x *tensor.Tensor, a int) *tensor.Tensor { return x.Select(a, m.next(3)) })},
	{"slice", axis(func(m *machine, x *tensor.Tensor, a int) *tensor.Tensor {
		return x.Slice(a, m.next(3), tensor.End, 1+m.next(2))
	})},
	{"unsqueeze", axis(func(_ *machine, x *tensor.Tensor, a int) *tensor.Tensor { return x.Unsqueeze(a) })},
	{"cat", axis(func(m *machine, x *tensor.Tensor, a int) *tensor.Tensor {
		return tensor.Cat([]*tensor.Tensor{x, m.operand()}, a)
	})},
	{"expand", func(m *machine) *tensor.Tensor { m.sums = true; return m.operand().Expand(2, 2, 3) }},
	{"sum", axis(func(m *machine, x *tensor.Tensor, a int) *tensor.Tensor { m.sums = true; return x.SumAxes([]int{a}) })},
	{"softmax", axis(func(m *machine, x *tensor.Tensor, a int) *tensor.Tensor { m.sums = true; return x.Softmax(a) })},
	{"to float32", one((*tensor.Tensor).Float)},
	{"to int64", one((*tensor.Tensor).Long)},
}
