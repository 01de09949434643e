package sim

import (
	"cresset/internal/driver"
	"cresset/internal/ptx"
)

// tensorMapEncodeTiled describes a tensor to the interpreter, by the rules of the driver.
func (d *Driver) tensorMapEncodeTiled(t *driver.TiledTensor) (driver.TensorMap, driver.Result) {
	if !tileable(t) {
		return driver.TensorMap{}, driver.ErrInvalidValue
	}
	m := &ptx.TensorMap{
		Type: ptx.TensorMapType(t.Type), Rank: int(t.Rank), Address: uint64(t.Address), Extents: t.Extents, Strides: t.Strides,
		Box: t.Box, Steps: t.Steps, Interleave: t.Interleave, Swizzle: uint32(t.Swizzle), L2: t.L2, NaNs: t.NaNs,
	}
	for i := t.Rank; i < 5; i++ {
		m.Extents[i], m.Box[i], m.Steps[i], m.Strides[i-1] = 1, 1, 1, 0
	}
	return m.Encode(), driver.Success
}

// tileable reports whether the driver takes the description.
func tileable(t *driver.TiledTensor) bool {
	size := uint64(ptx.TensorMapType(t.Type).Size())
	if size == 0 || t.Rank < 1 || t.Rank > 5 || t.Address == 0 || t.Address%16 != 0 || t.Interleave > 2 || t.Swizzle > driver.Swizzle128 || t.L2 > 3 {
		return false
	}
	if t.Interleave > 0 && t.Rank < 3 {
		return false
	}
	for i := range t.Rank {
		if t.Extents[i] == 0 || t.Extents[i] > 1<<32 || t.Box[i] == 0 || t.Box[i] > 256 || t.Steps[i] == 0 || t.Steps[i] > 8 {
			return false
		}
		if i > 0 && (t.Strides[i-1]%16 != 0 || t.Strides[i-1] >= 1<<40) {
			return false
		}
	}
	row := uint64(t.Box[0]) * size
	most := uint64(t.Swizzle.Bytes())
	return row%16 == 0 && (most == 0 || row <= most)
}
