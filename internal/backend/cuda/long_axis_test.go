package cuda

import (
	"encoding/binary"
	"sync"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// busiest is the launches of a simulated GPU, as what the block that does most has of their work.
type busiest struct {
	mu  sync.Mutex
	all []share
}

type share struct {
	kernel      string
	block, work uint64 // lane instructions
}

// note is of a launch that has run.
func (b *busiest) note(kernel string, done sim.Work) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, share{kernel, done.MostOfBlock, done.LaneInstructions})
}

const long = 1 << 17

// TestLongAxesAreShared wants of every launch of an op over one long axis, or a few, that does more than a little for each element, that
// no block does more than an eighth of it.
func TestLongAxesAreShared(t *testing.T) {
	slowUnderRace(t)
	m, err := hardware.Preset("a100", 1)
	if err != nil {
		t.Fatal(err)
	}
	noted := &busiest{}
	d := sim.New(m, sim.Options{Compile: noting(noted.note), LookupEnv: func(string) (string, bool) { return "", false }})
	dev, err := (&machine{open: func() (*driver.API, error) { return d.API, nil }}).at(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range []layout.Shape{{long}, {long / 4, 3}} {
		for _, o := range []op.Op{op.CumSum, op.CumProd, op.CumMax, op.CumMin, op.LogCumSumExp, op.CumSumGrad} {
			outs := []dtype.DType{dtype.Float32}
			if o == op.CumMax || o == op.CumMin {
				outs = append(outs, dtype.Int64)
			}
			noted.run(t, dev, o, op.Axis{}, outs, shape, []dtype.DType{dtype.Float32}, []layout.Shape{shape})
		}
		noted.run(t, dev, op.ProdGrad, op.Reduce{Axes: 1}, []dtype.DType{dtype.Float32}, shape,
			[]dtype.DType{dtype.Float32, dtype.Float32, dtype.Float32}, []layout.Shape{shape[1:], shape[1:], shape})
		noted.run(t, dev, op.Sort, op.Order{}, []dtype.DType{dtype.Float32, dtype.Int64}, shape, []dtype.DType{dtype.Float32}, []layout.Shape{shape})
		for _, o := range []op.Op{op.Scatter, op.ScatterAdd, op.ScatterAMax} {
			noted.run(t, dev, o, op.Axis{}, []dtype.DType{dtype.Float32}, shape, []dtype.DType{dtype.Int64, dtype.Float32}, []layout.Shape{shape, shape})
		}
	}
	noted.run(t, dev, op.IndexAdd, op.Axis{}, []dtype.DType{dtype.Float32}, layout.Shape{long}, []dtype.DType{dtype.Int64, dtype.Float32}, []layout.Shape{{long}, {long}})
	for _, o := range []op.Op{op.Scatter, op.ScatterAdd, op.IndexAdd} { // into few places
		noted.run(t, dev, o, op.Axis{}, []dtype.DType{dtype.Float32}, layout.Shape{3}, []dtype.DType{dtype.Int64, dtype.Float32}, []layout.Shape{{long}, {long}})
	}
	noted.run(t, dev, op.NLLLoss, op.Loss{Reduction: op.MeanReduction}, []dtype.DType{dtype.Float32, dtype.Float32}, layout.Shape{},
		[]dtype.DType{dtype.Float32, dtype.Int64}, []layout.Shape{{long, 2}, {long}})
	noted.run(t, dev, op.AdaptiveAvgPool2D, op.Window{}, []dtype.DType{dtype.Float32}, layout.Shape{1, 1, 1}, []dtype.DType{dtype.Float32}, []layout.Shape{{1, 256, long / 256}})
	noted.run(t, dev, op.TopK, op.Order{Descending: true}, []dtype.DType{dtype.Float32, dtype.Int64}, layout.Shape{9}, []dtype.DType{dtype.Float32}, []layout.Shape{{long}})
}

// run computes an op of zeros, with indexes that are spread.
func (b *busiest) run(t *testing.T, dev *Device, o op.Op, params any, outs []dtype.DType, into layout.Shape, ins []dtype.DType, shapes []layout.Shape) {
	t.Helper()
	c := backend.NewCall(o, dtype.Float32)
	defer c.Release()
	c.Params = params
	view := func(dt dtype.DType, shape layout.Shape) backend.View {
		l := layout.Contiguous(shape)
		buf, err := dev.Alloc(max(l.Size(), 1) * dt.Size())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dev.Free(buf) })
		data := make([]byte, l.Size()*dt.Size())
		for i := 0; dt == dtype.Int64 && len(into) > 0 && i < l.Size(); i++ { // zeros where the result is a number
			binary.LittleEndian.PutUint64(data[8*i:], uint64(i*7919%into[0]))
		}
		if err := dev.CopyIn(buf, 0, data); err != nil {
			t.Fatal(err)
		}
		return backend.View{Buf: buf, Layout: &l, DType: dt}
	}
	for _, dt := range outs {
		*c.AddOut() = view(dt, into)
	}
	for i, dt := range ins {
		*c.AddIn() = view(dt, shapes[i])
	}
	b.all = nil
	if err := dev.Run(c); err != nil {
		t.Fatal(err)
	}
	if err := dev.Sync(); err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.all) == 0 {
		t.Errorf("%v: nothing was launched", o)
	}
	for _, s := range b.all {
		if s.work > 10*long && s.block*8 > s.work {
			t.Errorf("%v of %v: a block executes %d of the %d instructions of %s", o, into, s.block, s.work, s.kernel)
		}
	}
}
