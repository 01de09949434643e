package cuda

import (
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/hardware"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/roofline"
)

// TestTraceNotesWhatIsIssued has ops of different sizes, an operand that is one row, and a table of which few rows are read.
func TestTraceNotesWhatIsIssued(t *testing.T) {
	trace, d, view := traced(t)
	const f32, bf16 = dtype.Float32, dtype.BFloat16
	row := view(f32, 256)
	repeated := layout.Of([]int{512, 256}, []int{0, 1}, 0)
	row.Layout = &repeated
	window := op.Window{Kernel: [2]int{3, 3}, Stride: [2]int{1, 1}, Dilation: [2]int{1, 1}, Groups: 1}
	for _, c := range []struct {
		op           op.Op
		params       any
		out, in      []backend.View
		bytes, flops float64
		unit         roofline.Unit
		planned      bool
	}{
		{op.Add, nil, []backend.View{view(f32, 512, 256)}, []backend.View{view(f32, 512, 256), row}, 4 * (2*512*256 + 256), 0, roofline.Float32, false},
		{op.MM, nil, []backend.View{view(bf16, 256, 512)}, []backend.View{view(bf16, 256, 128), view(bf16, 128, 512)}, 2 * (256*512 + 256*128 + 128*512),
			2 * 256 * 512 * 128, roofline.Tensor16, true},
		{op.IndexSelect, op.Axis{}, []backend.View{view(f32, 4, 256)}, []backend.View{view(f32, 1000, 256), view(dtype.Int64, 4)}, 4*2*4*256 + 4*8, 0, roofline.Float32, false},
		{op.SGDStep, op.SGD{LR: 1}, []backend.View{view(f32, 1000)}, []backend.View{view(f32, 1000)}, 4 * 3 * 1000, 0, roofline.Float32, false},
		{op.Conv, window, []backend.View{view(f32, 2, 8, 4, 4)}, []backend.View{view(f32, 2, 5, 6, 6), view(f32, 8, 5, 3, 3)}, 4 * (2*8*16 + 2*5*36 + 8*5*9),
			2 * 2 * 8 * 16 * 5 * 9, roofline.Float32, false},
	} {
		call := backend.NewCall(c.op, c.in[0].DType)
		call.Params = c.params
		for _, v := range c.out {
			*call.AddOut() = v
		}
		for _, v := range c.in {
			*call.AddIn() = v
		}
		trace.Take()
		if err := d.Run(call); err != nil {
			t.Fatalf("%v: %v", c.op, err)
		}
		call.Release()
		got := trace.Take()
		if len(got) != 1 || got[0].Bytes != c.bytes || got[0].Flops != c.flops || got[0].Main() == nil {
			t.Errorf("%v: got %+v, want %v bytes and %v operations", c.op, got, c.bytes, c.flops)
			continue
		}
		if l := got[0].Main(); l.Unit != c.unit || l.Resident < 1 || l.Threads < 32 || l.Kernel == "" || (l.Clocks > 0) != c.planned {
			t.Errorf("%v: got %+v", c.op, l)
		}
	}
}

// traced returns a modelled H100, and what makes views on it.
func traced(t *testing.T) (trace *Trace, d *Device, view func(dt dtype.DType, shape ...int) backend.View) {
	t.Helper()
	m, err := hardware.Preset("h100", 1)
	if err != nil {
		t.Fatal(err)
	}
	trace, giveBack, err := UseModel(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(giveBack)
	if d, err = process.at(0); err != nil {
		t.Fatal(err)
	}
	return trace, d, func(dt dtype.DType, shape ...int) backend.View {
		l := layout.Contiguous(shape)
		b, err := d.Alloc(l.Size() * dt.Size())
		if err != nil {
			t.Fatal(err)
		}
		return backend.View{Buf: b, Layout: &l, DType: dt}
	}
}

// TestTraceOfDecoding: attention of one query reads the keys and values, and what joins their parts takes little time beside that.
func TestTraceOfDecoding(t *testing.T) {
	trace, d, view := traced(t)
	for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
		c := backend.NewCall(op.Attention, dt)
		c.Params = op.Attend{Scale: 1, Keep: 1}
		*c.AddOut(), *c.AddOut() = view(dt, 8, 8, 1, 128), view(dtype.Float32, 8, 8, 1)
		*c.AddIn(), *c.AddIn(), *c.AddIn() = view(dt, 8, 8, 1, 128), view(dt, 8, 8, 4096, 128), view(dt, 8, 8, 4096, 128)
		trace.Take()
		if err := d.Run(c); err != nil {
			t.Fatal(err)
		}
		c.Release()
		calls := trace.Take()
		if len(calls) != 1 || len(calls[0].Launches) != 2 {
			t.Fatalf("%v: got %+v", dt, calls)
		}
		if got, least := roofline.Time(trace.GPU, calls), calls[0].Least(trace.GPU); got > 2*least {
			t.Errorf("%v: %v ns, at least %v", dt, got, least)
		}
	}
}
