package tensor_test

import (
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/friend"
	"cresset/tensor"
)

// sequencesOfRows are four sequences of 4, 3, 2 and 1 elements.
var sequencesOfRows = []int{4, 3, 2, 1}

// recurrence is a row for a recurrent layer over sequences: of the gates of ten elements, weight, first states, and what else it has.
func recurrence(name string, gates int, reverse bool, more []arg, f func(x []*tensor.Tensor, s friend.Sequences) *tensor.Tensor,
	step func(gates, state func(i int) float64, x []array, unit int, h, c float64) (float64, float64)) opRow {
	s := friend.Sequences{Sizes: sequencesOfRows, Reverse: reverse}
	const width = 2
	return opRow{
		name: name,
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return f(x, s) },
		in:   append([]arg{{shape: []int{10, gates * width}}, {shape: []int{gates * width, width}}, {shape: []int{4, width}}}, more...),
		naive: func(x []array) array {
			out := newArray(10, width)
			for k := range 4 {
				h, c := make([]float64, width), make([]float64, width)
				for u := range width {
					h[u] = *x[2].at(k, u)
					if gates == 4 {
						c[u] = *x[3].at(k, u)
					}
				}
				for i := range 4 - k {
					t := i
					if reverse {
						t = 3 - k - i
					}
					row := []int{0, 4, 7, 9}[t] + k
					var next []float64
					for u := range width {
						of := func(g int) float64 { return *x[0].at(row, g*width+u) }
						state := func(g int) (sum float64) {
							for j := range width {
								sum += *x[1].at(g*width+u, j) * h[j]
							}
							return sum
						}
						y, cell := step(of, state, x, u, h[u], c[u])
						next, c[u] = append(next, y), cell
						*out.at(row, u) = y
					}
					h = next
				}
			}
			return out
		},
		roundings: 64, scale: 4, noEmpty: "the sequences are of given lengths", noSpecials: "infinities of a step meet in the next",
	}
}

func rnnRow(name string, relu, reverse bool) opRow {
	return recurrence(name, 1, reverse, nil, func(x []*tensor.Tensor, s friend.Sequences) *tensor.Tensor {
		hs, last := inner.RNN(x[0], x[1], x[2], relu, s)
		return hs.Add(last.Sum().MulScalar(0))
	}, func(gates, state func(i int) float64, _ []array, _ int, _, _ float64) (h, c float64) {
		v := gates(0) + state(0)
		if relu {
			return max(v, 0), 0
		}
		return math.Tanh(v), 0
	})
}

func gruRow(name string, reverse bool) opRow {
	return recurrence(name, 3, reverse, []arg{{shape: []int{6}}}, func(x []*tensor.Tensor, s friend.Sequences) *tensor.Tensor {
		hs, _ := inner.GRU(x[0], x[1], x[3], x[2], s)
		return hs
	}, func(gates, state func(i int) float64, x []array, unit int, h, _ float64) (float64, float64) {
		u := func(i int) float64 { return state(i) + *x[3].at(2*i + unit) }
		r, z := sigmoid(gates(0)+u(0)), sigmoid(gates(1)+u(1))
		n := math.Tanh(gates(2) + r*u(2))
		return n + z*(h-n), 0
	})
}

func lstmRow(name string, reverse bool) opRow {
	return recurrence(name, 4, reverse, []arg{{shape: []int{4, 2}}}, func(x []*tensor.Tensor, s friend.Sequences) *tensor.Tensor {
		hs, _, _ := inner.LSTM(x[0], x[1], nil, x[2], x[3], s)
		return hs
	}, func(gates, state func(i int) float64, _ []array, _ int, _, cell float64) (h, c float64) {
		v := func(i int) float64 { return gates(i) + state(i) }
		c = sigmoid(v(1))*cell + sigmoid(v(0))*math.Tanh(v(2))
		return sigmoid(v(3)) * math.Tanh(c), c
	})
}

var recurrentRows = []opRow{
	rnnRow("rnn", false, false),
	rnnRow("rnn in reverse", false, true),
	rnnRow("rnn with relu", true, false),
	gruRow("gru", false),
	gruRow("gru in reverse", true),
	lstmRow("lstm", false),
	lstmRow("lstm in reverse", true),
}

// TestStepsAtOnce wants the bits of single steps, whose ops are computed one by one, from layers, whose steps GPUs compute at once.
func TestStepsAtOnce(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		const steps, batch, width = 5, 3, 12 // steps enough for a program
		randn := func(sizes ...int) *tensor.Tensor { return tensor.Randn(sizes...).To(dev) }
		one, all := friend.Sequences{Sizes: []int{batch}}, friend.Sequences{Sizes: slices.Repeat([]int{batch}, steps)}
		for _, gates := range []int{3, 4} {
			x, weight, bias := randn(steps*batch, gates*width), randn(gates*width, width), randn(gates*width)
			h, c := randn(batch, width), randn(batch, width)
			layer := func(x, h, c *tensor.Tensor, s friend.Sequences) (hs, lastH, lastC *tensor.Tensor) {
				if gates == 3 {
					hs, lastH = inner.GRU(x, weight, bias, h, s)
					return hs, lastH, c
				}
				return inner.LSTM(x, weight, nil, h, c, s)
			}
			got, _, gotC := layer(x, h, c, all)
			for i := range steps {
				h, _, c = layer(x.Narrow(0, i*batch, batch), h, c, one)
				if !h.Equal(got.Narrow(0, i*batch, batch)) {
					t.Errorf("%d gates: the states of step %d differ", gates, i)
				}
			}
			if !c.Equal(gotC) {
				t.Errorf("%d gates: the cells differ", gates)
			}
		}
	})
}

// TestStepsWithoutData has layers run on the meta device, which stands for a GPU whose kernels cannot be loaded.
func TestStepsWithoutData(t *testing.T) {
	const steps, batch, width = 5, 3, 4
	zeros := tensor.On(device.Meta).Zeros
	s := friend.Sequences{Sizes: slices.Repeat([]int{batch}, steps)}
	h := zeros(batch, width)
	gru, _ := inner.GRU(zeros(steps*batch, 3*width), zeros(3*width, width), nil, h, s)
	lstm, _, _ := inner.LSTM(zeros(steps*batch, 4*width), zeros(4*width, width), nil, h, h, s)
	for _, hs := range []*tensor.Tensor{gru, lstm} {
		if want := (tensor.Shape{steps * batch, width}); !hs.Shape().Equal(want) {
			t.Errorf("the states have the shape %v, want %v", hs.Shape(), want)
		}
	}
}
