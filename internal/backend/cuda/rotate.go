package cuda

import (
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func (t *table) addRotations() {
	for _, dts := range [][]dtype.DType{floats, halves} {
		for _, dt := range dts {
			t[op.Rotate][dt] = row{rotate, typed("rotate", dt)}
		}
	}
	widening, narrowing := typedForHalves("rotate_widening"), typedForHalves("rotate_narrowing")
	t[op.Rotate][dtype.Float32].launch = func(d *Device, c *backend.Call, k kernelID) error {
		switch to, from := c.Out()[0].DType, c.In()[0].DType; {
		case from != dtype.Float32:
			k = widening[from]
		case to != dtype.Float32:
			k = narrowing[to]
		}
		return rotate(d, c, k)
	}
}

// typedForHalves returns the kernels of a name for each half type.
func typedForHalves(name string) (k [dtype.Count]kernelID) {
	for _, dt := range halves {
		k[dt] = typed(name, dt)
	}
	return k
}

var rotationParams paramPool[kernels.Rotation]

// rotate turns pairs of elements of rows of any strides, by tables of c's dtype that have been expanded to them.
func rotate(d *Device, c *backend.Call, k kernelID) error {
	out, in := &c.Out()[0], c.In()
	if out.Layout.Size() == 0 {
		return nil
	}
	p := rotationParams.take()
	defer rotationParams.give(p)
	r := rotation{device: d, kernel: k, params: p, views: [4]*backend.View{out, &in[0], &in[1], &in[2]}}
	last := out.Layout.Rank() - 1
	points := in[1].Layout.Shape()[last]
	*p = kernels.Rotation{
		Out: address(out), In: address(&in[0]), Cosines: address(&in[1]), Sines: address(&in[2]),
		Points: uint32(points), Rest: uint32(out.Layout.Shape()[last] - 2*points), Lanes: uint32(vectorBytes / c.DType.Size()),
	}
	if c.Params.(op.Rotation).Back {
		p.Back = 1
	}
	var rows [4]layout.Layout
	for i, v := range r.views {
		rows[i] = v.Layout.Select(nil, last, 0)
		p.Steps[i] = int64(v.Layout.Strides()[last])
	}
	r.loop.Init(&rows[0], &rows[1], &rows[2], &rows[3])
	if !r.moveVectors() {
		p.Lanes = 1
	}
	if r.loop.Rank > kernels.MaxRank {
		return &backend.MissingKernelError{Op: c.Op, DType: c.DType, GPU: true} // of so many axes
	}
	return r.launch()
}

// rotation launches a kernel over rows.
type rotation struct {
	device *Device
	kernel kernelID
	params *kernels.Rotation
	views  [4]*backend.View
	loop   layout.Loop // over rows
}

// bases are the addresses of the operands.
func (r *rotation) bases() [4]*uint64 {
	return [4]*uint64{&r.params.Out, &r.params.In, &r.params.Cosines, &r.params.Sines}
}

// moveVectors reports whether all operands lie so that vectors of pairs, and of elements that are copied, are aligned.
func (r *rotation) moveVectors() bool {
	p, l := r.params, &r.loop
	if p.Points%p.Lanes != 0 || p.Rest%p.Lanes != 0 {
		return false
	}
	for j, at := range r.bases() {
		if *at%(uint64(p.Lanes)*uint64(r.views[j].DType.Size())) != 0 || p.Steps[j] != 1 {
			return false
		}
		for _, step := range l.Steps[j][:l.Rank] {
			if step%int(p.Lanes) != 0 && rowsOf(l) > 1 {
				return false
			}
		}
	}
	return true
}

// rowsOf is how many rows a loop has.
func rowsOf(l *layout.Loop) int { return l.Runs() * l.Inner() }

// launch covers the outermost axis, in pieces where the items are too many for one launch.
func (r *rotation) launch() error {
	p, l := r.params, &r.loop
	items := uint64(rowsOf(l)/l.Extents[0]) * uint64((p.Points+p.Rest)/p.Lanes) // of an index of the outermost axis
	p.Rank = uint32(l.Rank)
	for i := range l.Rank {
		axis := l.Rank - 1 - i
		p.Extents[i] = uint32(l.Extents[axis])
		for j := range l.N {
			p.Strides[j][i] = int64(l.Steps[j][axis])
		}
	}
	step := int(max(math.MaxUint32/items, 1))
	for i := 0; i < l.Extents[0]; i += step {
		n := min(step, l.Extents[0]-i)
		p.N, p.Extents[l.Rank-1] = uint64(n)*items, uint32(n)
		if err := launch(r.device, r.kernel, r.device.flat(int(p.N)), p); err != nil {
			return err
		}
		for j, at := range r.bases() {
			*at += uint64(n*l.Steps[j][0]) * uint64(r.views[j].DType.Size())
		}
	}
	return nil
}
