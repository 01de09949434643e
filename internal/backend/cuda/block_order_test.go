package cuda

import (
	"bytes"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// TestBlockOrderKeepsBits: whoever of the blocks that share a sum comes first, a result has the same bits. Sums here are long enough for several blocks.
func TestBlockOrderKeepsBits(t *testing.T) {
	slowUnderRace(t)
	const long = 50_000
	window := op.Window{Stride: [2]int{1, 1}, Padding: [2]int{1, 1}, Dilation: [2]int{1, 1}, Groups: 1}
	for _, preset := range []string{"a100", "h100"} {
		card := newCard(t, preset)
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16} {
			card.keepsBits(t, op.MM, dt, nil, layout.Shape{40, 72}, layout.Shape{40, 4096}, layout.Shape{4096, 72})
			card.keepsBits(t, op.ConvGradWeight, dt, window, layout.Shape{24, 16, 3, 3}, layout.Shape{4, 24, 20, 20}, layout.Shape{4, 16, 20, 20})
			card.keepsBits(t, op.Sum, dt, op.Reduce{Axes: 1}, layout.Shape{}, layout.Shape{long})
			card.keepsBits(t, op.Sum, dt, op.Reduce{Axes: 1}, layout.Shape{5}, layout.Shape{long / 5, 5})
			card.keepsBits(t, op.CumSum, dt, op.Axis{}, layout.Shape{long}, layout.Shape{long})
			card.keepsBits(t, op.ScatterAdd, dt, op.Axis{}, layout.Shape{3}, layout.Shape{long}, layout.Shape{long})
		}
	}
}

// keepsBits wants an op's result the same for three orders of blocks. The first operand of ScatterAdd is its index.
func (c *card) keepsBits(t *testing.T, o op.Op, dt dtype.DType, params any, out layout.Shape, in ...layout.Shape) {
	t.Helper()
	var want []byte
	for _, order := range []uint64{0, 1, 12345} {
		c.order = order
		call := backend.NewCall(o, dt)
		defer call.Release()
		call.Params = params
		for i, shape := range in {
			v := call.AddIn()
			operand(t, c.Device, v, shape, dt, i)
			if o == op.ScatterAdd && i == 0 {
				c.spread(t, v, shape[0], out[0])
			}
		}
		operand(t, c.Device, call.AddOut(), out, dt, 7)
		if err := c.Run(call); err != nil {
			t.Fatalf("%s of %s: %v", o, dt, err)
		}
		size, _ := out.NumEl()
		got := make([]byte, size*dt.Size())
		if err := c.CopyOut(got, call.Out()[0].Buf, 0); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s of %s on %s: other bits in the order of blocks %d", o, dt, c.properties.Name, order)
		}
	}
	c.order = 0
}

// spread makes an operand an index of n numbers below most.
func (c *card) spread(t *testing.T, v *backend.View, n, most int) {
	t.Helper()
	operand(t, c.Device, v, []int{n}, dtype.Int64, 0)
	index := make([]int64, n)
	for i := range index {
		index[i] = int64(i * 7919 % most)
	}
	if err := c.CopyIn(v.Buf, 0, unsafe.Slice((*byte)(unsafe.Pointer(&index[0])), 8*n)); err != nil {
		t.Fatal(err)
	}
}
