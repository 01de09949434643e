package cuda

import (
	"cresset/dtype"
	"cresset/internal/driver"
)

// tensorTypes are the dtypes that the TMA knows by number format; others are copied by size.
var tensorTypes = [dtype.Count]driver.TensorType{
	dtype.Bool: driver.TensorU8, dtype.Uint8: driver.TensorU8, dtype.Int8: driver.TensorU8, dtype.Int16: driver.TensorU16,
	dtype.Int32: driver.TensorI32, dtype.Int64: driver.TensorI64, dtype.Float16: driver.TensorF16, dtype.BFloat16: driver.TensorBF16,
	dtype.Float32: driver.TensorF32, dtype.Float64: driver.TensorF64,
}

// tile describes a matrix, or a stack of them, to the TMA: extents, strides in bytes and the box that one copy takes, the
// innermost axis first, whose elements lie side by side.
type tile struct {
	dtype   dtype.DType
	address uint64
	extents []uint64
	strides []uint64 // of the axes from 1 on: multiples of 16
	box     []uint32
	steps   []uint32 // between the elements of the box; nil for ones
	swizzle driver.Swizzle
	tf32    bool // float32 is rounded to TF32 as it is copied
}

// encoded is what the driver makes of a tensor's description, if it can.
type encoded struct {
	as driver.TensorMap
	ok bool
}

// encode returns the map that a kernel takes, and false where the TMA cannot read such a tensor: the launcher takes another
// kernel then.
func (d *Device) encode(t *tile) (m driver.TensorMap, ok bool) {
	if d.api.TensorMapEncodeTiled == nil {
		return m, false
	}
	c := driver.TiledTensor{Type: tensorTypes[t.dtype], Rank: uint32(len(t.extents)), Address: driver.Ptr(t.address), Swizzle: t.swizzle, L2: 3}
	if t.tf32 {
		c.Type = driver.TensorTF32
	}
	for i := range c.Extents {
		c.Extents[i], c.Box[i], c.Steps[i] = 1, 1, 1
	}
	copy(c.Extents[:], t.extents)
	copy(c.Strides[:], t.strides)
	copy(c.Box[:], t.box)
	copy(c.Steps[:], t.steps)
	e := d.maps.of(c, func() encoded {
		asked := c // what the driver is handed lies on the heap, and c need not
		m, r := d.api.TensorMapEncodeTiled(&asked)
		return encoded{m, r == driver.Success}
	})
	return e.as, e.ok
}
