package cuda

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/hardware"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// attends is attention in some setting.
type attends struct {
	op.Attend
	batch, heads, groups, queries, keys, width, outputs int
	mask                                                dtype.DType // of a mask; meaningless where unmasked
	masked, unaligned                                   bool
	shares                                              [4]bool // of the mask, along axes of scores; all heads do
	repeated                                            bool    // to see the same bits again
}

const attentionSeed = 77

func (a *attends) String() string {
	return fmt.Sprintf("%d·%d/%d heads, %d of %d keys, %d to %d wide, %+v, mask %v %s, unaligned %v",
		a.batch, a.heads, a.groups, a.queries, a.keys, a.width, a.outputs, a.Attend, a.masked, a.mask, a.unaligned)
}

// settings are those of attention on tensor cores, each for a width, around the edges of tiles.
func settings() (all []attends) {
	plain := op.Attend{Keep: 1}
	for i, edge := range []struct{ queries, keys int }{{9, 1}, {127, 63}, {128, 64}, {129, 65}, {63, 129}, {65, 31}} {
		width := []int{32, 64, 96, 128, 192, 256}[i]
		all = append(all, attends{Attend: plain, batch: 1, heads: 1, groups: 1, queries: edge.queries, keys: edge.keys, width: width, outputs: width})
		o := plain
		o.Causal, o.First = true, i%3
		all = append(all, attends{Attend: o, batch: 1, heads: 1, groups: 1, queries: edge.queries, keys: edge.keys, width: width, outputs: width})
	}
	for i, queries := range []int{1, 8, 3, 5, 1, 2} { // few, whose keys are cut into parts
		o, width := plain, int(kernels.AttentionTiles[i].Width)
		for j := range 2 {
			o.Causal, o.First, o.Window = (i+j)%2 == 1, 500, i%3*100
			all = append(all, attends{Attend: o, batch: 1, heads: 3, groups: 1, queries: queries, keys: []int{513, 15, 17, 530, 515, 33}[i], width: width - 5*j, outputs: width, unaligned: j == 1})
		}
	}
	with := func(f func(a *attends)) {
		a := attends{Attend: plain, batch: 2, heads: 2, groups: 1, queries: 33, keys: 70, width: 40, outputs: 24}
		f(&a)
		all = append(all, a)
	}
	with(func(a *attends) { a.Window, a.First = 20, 30 })
	with(func(a *attends) { a.Window, a.Causal, a.First = 9, true, 200 })
	with(func(a *attends) { a.SoftCap = 1.5 })
	with(func(a *attends) { a.Keep = 0.7 })
	with(func(a *attends) { a.Keep, a.heads, a.groups = 0, 4, 2 })
	with(func(a *attends) { a.masked, a.mask = true, dtype.Bool })
	with(func(a *attends) { a.masked, a.mask, a.Causal, a.First = true, dtype.Float32, true, 37 })
	with(func(a *attends) { a.Causal, a.First, a.unaligned = true, -5, true })
	with(func(a *attends) { a.width, a.outputs, a.unaligned, a.queries = 20, 61, true, 17 })
	with(func(a *attends) { a.queries, a.Keep, a.masked, a.mask = 3, 0.5, true, dtype.Bool })
	with(func(a *attends) {
		a.queries, a.Keep, a.masked, a.mask, a.SoftCap, a.keys = 7, 0.5, true, dtype.Float32, 3, 301
	})
	with(func(a *attends) { a.SoftCap, a.Keep, a.masked, a.mask, a.Window = 2, 0.5, true, dtype.Float32, 30 })
	return all
}

// TestAttentionOfHalves wants no more than twice the largest error of attention that keeps scores and what follows from them in the half type, as
// ops alone do. Settings take turns on the cards, so that every kernel runs on one of them.
func TestAttentionOfHalves(t *testing.T) {
	slowUnderRace(t)
	ran := map[string]bool{}
	for i, card := range []string{"a100", "rtx5090"} {
		m, err := hardware.Preset(card, 1)
		if err != nil {
			t.Fatal(err)
		}
		dev := cardOf(t, m)
		for j, a := range settings() {
			if a.repeated = j%5 == 0; j%2 == i {
				a.check(t, dev, halves[(j/2+i)%2])
			}
		}
		noteKernels(t, dev, ran)
	}
	for _, name := range kernels.Names() {
		if strings.HasPrefix(name, "attention_") && strings.Contains(name, "_mma_") && !strings.Contains(name, "_mask_") && !ran[name] {
			t.Errorf("no setting runs %s", name)
		}
	}
}

// noteKernels notes which kernels a device has loaded to run them. It wants none refused: another would have run in its place.
func noteKernels(t *testing.T, dev *Device, ran map[string]bool) {
	t.Helper()
	for _, r := range dev.Refused() {
		t.Errorf("%s takes no %s: %s", dev.properties.Name, r.Module, r.Reason)
	}
	for name, here := range dev.Kernels() {
		ran[name] = ran[name] || here
	}
}

// check judges result and gradients.
func (a *attends) check(t *testing.T, dev *Device, dt dtype.DType) {
	t.Helper()
	if a.Scale == 0 {
		a.Scale = 1 / math.Sqrt(float64(a.width))
	}
	q, k, v := newRows(a.batch, a.heads, a.queries, a.width, dt), newRows(a.batch, a.groups, a.keys, a.width, dt), newRows(a.batch, a.groups, a.keys, a.outputs, dt)
	dy := newRows(a.batch, a.heads, a.queries, a.outputs, dt)
	mask := newRows(a.batch, 1, a.queries, a.keys, dtype.Float32)
	for i := range mask {
		if row := i / a.keys; a.mask == dtype.Bool && (i%3 == 0 || row%11 == 5) { // some rows see nothing
			mask[i] = 0
		}
	}
	a.share(mask)
	want, naive := a.compute(q, k, v, dy, mask, float64s), a.compute(q, k, v, dy, mask, func(x []float64) { roundTo(dt, x) })
	got := a.run(t, dev, dt, q, k, v, dy, mask) // of few queries the result alone, since their gradients are those of many
	for i, name := range []string{"the result", "the queries' gradient", "the keys' gradient", "the values' gradient", "the mask's gradient"}[:len(got)] {
		if i < 4 {
			roundTo(dt, naive[i])
		}
		bound := 2 * apart(naive[i], want[i])
		if i == 4 { // whose sums may be 0 but for what is rounded
			bound, want[i] = 2*a.apart(naive[i], want[i]), a.joined(want[i])
		}
		off, size := apart(got[i], want[i]), largestOf(want[i])
		if !(off <= bound+0x1p-20*max(size, 1)) { // and what float32 rounds
			t.Errorf("%s on %s, %s: %s is off by %v, of a size of %v; ops alone are off by %v", dt, dev.properties.Name, a, name, off, size, bound/2)
		}
	}
}

// run returns the result and the gradients that a device computes.
func (a *attends) run(t *testing.T, dev *Device, dt dtype.DType, q, k, v, dy, mask []float64) (got [][]float64) {
	t.Helper()
	at := func(values []float64, n ...int) backend.View { return a.place(t, dev, values, dt, n...) }
	qv, kv, vv := at(q, a.batch, a.heads, a.queries, a.width), at(k, a.batch, a.groups, a.keys, a.width), at(v, a.batch, a.groups, a.keys, a.outputs)
	out := at(make([]float64, len(dy)), a.batch, a.heads, a.queries, a.outputs)
	rows := a.batch * a.heads * a.queries
	logSum := placed(t, dev, make([]float64, rows), dtype.Float32, layout.Contiguous(layout.Shape{a.batch, a.heads, a.queries}))
	var m, seed backend.View
	if a.masked {
		m = placed(t, dev, a.distinct(mask), a.mask, layout.Of(layout.Shape{a.batch, a.heads, a.queries, a.keys}, a.maskSteps(), 0))
	}
	if a.Keep < 1 {
		seed = placed(t, dev, []float64{attentionSeed}, dtype.Int64, layout.Contiguous(layout.Shape{1}))
	}
	c := backend.NewCall(op.Attention, dt)
	defer c.Release()
	c.Params = a.Attend
	*c.AddOut(), *c.AddOut() = out, logSum
	for _, in := range []backend.View{qv, kv, vv} {
		*c.AddIn() = in
	}
	a.rest(c, m, seed)
	got = a.fetch(t, dev, c, &out)
	if a.queries <= fewQueries {
		return got
	}
	soil(t, dev)
	g := backend.NewCall(op.AttentionGrad, dt)
	defer g.Release()
	g.Params = a.Attend
	for _, of := range []*backend.View{&qv, &kv, &vv} {
		*g.AddOut() = a.place(t, dev, make([]float64, of.Layout.Size()), dt, of.Layout.Shape()...)
	}
	if a.masked && a.mask != dtype.Bool {
		*g.AddOut() = placed(t, dev, make([]float64, len(mask)), dtype.Float32, *m.Layout)
	}
	for _, in := range []backend.View{at(dy, a.batch, a.heads, a.queries, a.outputs), qv, kv, vv, out, logSum} {
		*g.AddIn() = in
	}
	a.rest(g, m, seed)
	var outs []*backend.View
	for i := range g.Out() {
		outs = append(outs, &g.Out()[i])
	}
	if len(outs) > 3 { // each element once
		l := layout.Contiguous(layout.Shape{len(a.distinct(mask))})
		outs[3] = &backend.View{Buf: outs[3].Buf, Layout: &l, DType: outs[3].DType}
	}
	return append(got, a.fetch(t, dev, g, outs...)...)
}

// soil leaves NaN in the memory that kernels are given next.
func soil(t *testing.T, dev *Device) {
	t.Helper()
	raw := bytes.Repeat([]byte{0xff}, 64<<10)
	buf, err := dev.Alloc(len(raw))
	if err == nil {
		err = dev.CopyIn(buf, 0, raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	dev.Free(buf)
}

// rest adds a mask and a seed, where there are such.
func (a *attends) rest(c *backend.Call, mask, seed backend.View) {
	if a.masked || a.Keep < 1 {
		*c.AddIn() = mask
	}
	if a.Keep < 1 {
		*c.AddIn() = seed
	}
}

// fetch runs a call, perhaps two times, and returns what the first left in some results.
func (a *attends) fetch(t *testing.T, dev *Device, c *backend.Call, outs ...*backend.View) (first [][]float64) {
	t.Helper()
	for {
		if err := dev.Run(c); err != nil {
			t.Fatalf("%s on %s: %v", a, dev.properties.Name, err)
		}
		for i, out := range outs {
			got := fetched(t, dev, out)
			if len(first) == i {
				first = append(first, got)
			} else if !slices.Equal(first[i], got) {
				t.Errorf("%s on %s: result %d has other bits the second time", a, dev.properties.Name, i)
			}
		}
		if !a.repeated {
			return first
		}
		a.repeated = false
	}
}

// place puts rows of four axes on the device, aligned or in a larger tensor whose heads and rows have changed places.
func (a *attends) place(t *testing.T, dev *Device, values []float64, dt dtype.DType, n ...int) backend.View {
	t.Helper()
	l := layout.Contiguous(n)
	if a.unaligned {
		row := n[3] + 1
		l = layout.Of(n, []int{n[2] * n[1] * row, row, n[1] * row, 1}, 1)
	}
	return placed(t, dev, values, dt, l)
}

// placed puts values, in row-major order, on the device, where a layout has them.
func placed(t *testing.T, dev *Device, values []float64, dt dtype.DType, l layout.Layout) backend.View {
	t.Helper()
	size := l.Offset + 1
	for i, n := range l.Shape() {
		size += (n - 1) * l.Strides()[i]
	}
	all := make([]float64, size)
	for i, at := range offsets(&l) {
		if i < len(values) {
			all[at] = values[i]
		}
	}
	if l.Strides()[min(1, len(l.Shape())-1)] == 0 { // one for all heads: values are those of the first
		copy(all, values)
	}
	raw := make([]byte, size*dt.Size())
	kern.Cast(dt, dtype.Float64)(unsafe.Pointer(&raw[0]), unsafe.Pointer(&all[0]), size)
	buf, err := dev.Alloc(len(raw))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Free(buf) })
	if err := dev.CopyIn(buf, 0, raw); err != nil {
		t.Fatal(err)
	}
	return backend.View{Buf: buf, Layout: &l, DType: dt}
}

// fetched returns a view's elements in row-major order.
func fetched(t *testing.T, dev *Device, v *backend.View) []float64 {
	t.Helper()
	raw := make([]byte, v.Buf.(*Buffer).bytes)
	if err := dev.CopyOut(raw, v.Buf, 0); err != nil {

		t.Fatal(err)
	}
	all := make([]float64, len(raw)/v.DType.Size())
	kern.Cast(dtype.Float64, v.DType)(unsafe.Pointer(&all[0]), unsafe.Pointer(&raw[0]), len(all))
	var values []float64
	for _, at := range offsets(v.Layout) {
		values = append(values, all[at])
	}
	return values
}

// offsets returns where the elements of a layout lie, in row-major order.
func offsets(l *layout.Layout) []int {
	at := []int{l.Offset}
	for i, n := range l.Shape() {
		var next []int
		for _, from := range at {
			for j := range n {
				next = append(next, from+j*l.Strides()[i])
			}
		}
		at = next
	}
	return at
}

// newRows returns numbers that a dtype can hold.
func newRows(batch, heads, rows, width int, dt dtype.DType) []float64 {
	x := make([]float64, batch*heads*rows*width)
	for i := range x {
		x[i] = 1.5 * math.Sin(float64(i*i%10007+rows+3*width))
	}
	roundTo(dt, x)
	return x
}

func float64s([]float64) {}

// roundTo rounds numbers to a dtype.
func roundTo(dt dtype.DType, x []float64) {
	if len(x) == 0 {
		return
	}
	raw := make([]byte, len(x)*dt.Size())
	kern.Cast(dt, dtype.Float64)(unsafe.Pointer(&raw[0]), unsafe.Pointer(&x[0]), len(x))
	kern.Cast(dtype.Float64, dt)(unsafe.Pointer(&x[0]), unsafe.Pointer(&raw[0]), len(x))
}

func apart(a, b []float64) (most float64) {
	for i := range a {
		if d := math.Abs(a[i] - b[i]); !(d <= most) {
			most = d
		}
	}
	return most
}

func largestOf(x []float64) float64 { return apart(x, make([]float64, len(x))) }
