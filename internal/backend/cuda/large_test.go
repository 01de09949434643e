package cuda

import (
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// recorded collects the parameters of launches, whose struct is P.
func recorded[P any](f *fakeDriver) *[]P {
	all := new([]P)
	f.api.LaunchKernel = func(_ driver.Context, _ driver.Function, _, _ driver.Dim, _ uint32, _ driver.Stream, params []byte) driver.Result {
		*all = append(*all, *(*P)(unsafe.Pointer(&params[0]))) // the bytes are those of a P
		return driver.Success
	}
	return all
}

// viewAt is a view whose axes have these strides in elements, at an address that no memory lies at.
func viewAt(at uint64, dt dtype.DType, shape layout.Shape, strides ...int) backend.View {
	l := layout.Of(shape, strides, 0)
	return backend.View{Buf: &Buffer{ptr: at}, Layout: &l, DType: dt}
}

// TestManyElements: operands of more than 2**32 elements that lie apart take a launch for each 2**32, whether their axes merge or not.
func TestManyElements(t *testing.T) {
	const many = 1 << 33
	for _, tc := range []struct {
		name     string
		shape    layout.Shape
		strides  []int // of in
		launches int
	}{
		{"a column", layout.Shape{many}, []int{2}, 3},
		{"merged axes", layout.Shape{1 << 16, 1 << 17}, []int{1 << 18, 2}, 3},
		{"two axes", layout.Shape{1 << 31, 4}, []int{8, 1}, 3},
		{"rows of too many", layout.Shape{3, many}, []int{1 << 40, 2}, 9},
		{"reversed", layout.Shape{1 << 3, 1 << 30}, []int{1, 1 << 3}, 3},
	} {
		f := newFakeDriver()
		launches := recorded[kernels.Elementwise](f)
		d := f.device(t)
		shape := tc.shape
		out := layout.Contiguous(shape)
		to := backend.View{Buf: &Buffer{ptr: 1 << 50}, Layout: &out, DType: dtype.Float32}
		from := viewAt(1<<40, dtype.Float32, shape, tc.strides...)
		if err := d.copyView(&to, &from); err != nil {
			t.Fatal(err)
		}
		if len(*launches) != tc.launches {
			t.Errorf("%s: %d launches, want %d", tc.name, len(*launches), tc.launches)
			continue
		}
		covered := uint64(0)
		for i, p := range *launches {
			n := uint64(1)
			for _, extent := range p.Extents[:p.Rank] {
				n *= uint64(extent)
			}
			if n != p.N || p.Rank == 0 || n >= 1<<32 {
				t.Errorf("%s, launch %d: %d elements, rank %d, extents %v", tc.name, i, p.N, p.Rank, p.Extents[:p.Rank])
			}
			covered += n
			// Where the result begins tells which element is first, and that where the operand has to begin.
			first := int((p.Out - 1<<50) / 4)
			at := 0
			for axis := len(shape) - 1; axis >= 0; axis-- {
				at += first % shape[axis] * tc.strides[axis]
				first /= shape[axis]
			}
			if tc.name != "reversed" && p.In[0] != 1<<40+4*uint64(at) {
				t.Errorf("%s, launch %d: the result begins at %#x and the operand at %#x", tc.name, i, p.Out, p.In[0])
			}
		}
		if covered != uint64(out.Size()) {
			t.Errorf("%s: %d elements of %d", tc.name, covered, out.Size())
		}
	}
}

// TestManyLines: lines of 2**32 and more are looked up in several launches.
func TestManyLines(t *testing.T) {
	const many = 1<<32 + 5
	for _, o := range []op.Op{op.Gather, op.ScatterAdd} {
		f := newFakeDriver()
		launches := recorded[kernels.Lines](f)
		d := f.device(t)
		c := backend.NewCall(o, dtype.Float32)
		shape := layout.Shape{many, 2}
		x := viewAt(1<<40, dtype.Float32, shape, 2, 1)
		index := viewAt(1<<50, dtype.Int64, shape, 4, 2)
		out := viewAt(1<<55, dtype.Float32, shape, 2, 1)
		*c.AddOut() = out
		if o == op.Gather {
			*c.AddIn(), *c.AddIn() = x, index
		} else {
			*c.AddIn(), *c.AddIn() = index, x
		}
		c.Params = op.Axis{Axis: 1}
		if err := d.Run(c); err != nil {
			t.Fatal(err)
		}
		lines := uint64(0)
		for i, p := range *launches {
			if p.Lines >= 1<<32 || p.Lines != uint64(p.Extents[0]) || p.N != 2 || p.Rank != 1 {
				t.Errorf("%v, launch %d: %d lines of %d, rank %d, extents %v", o, i, p.Lines, p.N, p.Rank, p.Extents[:1])
			}
			if p.In != 1<<40+lines*8 || p.Index != 1<<50+lines*32 || p.Out != 1<<55+lines*8 {
				t.Errorf("%v, launch %d: addresses %#x %#x %#x after %d lines", o, i, p.Out, p.In, p.Index, lines)
			}
			lines += p.Lines
		}
		if lines != many || len(*launches) != 2 {
			t.Errorf("%v: %d lines in %d launches", o, lines, len(*launches))
		}
		c.Release()
	}
}
