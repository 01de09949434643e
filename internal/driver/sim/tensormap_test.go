package sim

import (
	"testing"

	"cresset/internal/driver"
	"cresset/internal/ptx"
)

func TestTensorMaps(t *testing.T) {
	b := start(t, "h200", 1)
	sound := driver.TiledTensor{
		Type: driver.TensorBF16, Rank: 2, Address: 0x1000, Extents: [5]uint64{1000, 300}, Strides: [4]uint64{2000},
		Box: [5]uint32{64, 128}, Steps: [5]uint32{1, 1}, Swizzle: driver.Swizzle128,
	}
	m, r := b.api.TensorMapEncodeTiled(&sound)
	b.ok(r)
	got, err := ptx.DecodeTensorMap(m[:])
	if err != nil || got.Address != 0x1000 || got.Rank != 2 || got.Type.Size() != 2 || got.Extents != [5]uint64{1000, 300, 1, 1, 1} ||
		got.Strides != [4]uint64{2000} || got.Box != [5]uint32{64, 128, 1, 1, 1} || got.Swizzle != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, spoil := range map[string]func(*driver.TiledTensor){
		"address":        func(t *driver.TiledTensor) { t.Address += 8 },
		"no address":     func(t *driver.TiledTensor) { t.Address = 0 },
		"type":           func(t *driver.TiledTensor) { t.Type = 13 },
		"rank":           func(t *driver.TiledTensor) { t.Rank = 6 },
		"stride":         func(t *driver.TiledTensor) { t.Strides[0] = 2008 },
		"large stride":   func(t *driver.TiledTensor) { t.Strides[0] = 1 << 40 },
		"extent":         func(t *driver.TiledTensor) { t.Extents[1] = 1<<32 + 1 },
		"no extent":      func(t *driver.TiledTensor) { t.Extents[0] = 0 },
		"box":            func(t *driver.TiledTensor) { t.Box[1] = 257 },
		"row":            func(t *driver.TiledTensor) { t.Box[0] = 60 },
		"row of swizzle": func(t *driver.TiledTensor) { t.Box[0] = 72 },
		"step":           func(t *driver.TiledTensor) { t.Steps[1] = 9 },
		"interleave":     func(t *driver.TiledTensor) { t.Interleave = 1 },
	} {
		wrong := sound
		spoil(&wrong)
		if _, r := b.api.TensorMapEncodeTiled(&wrong); r != driver.ErrInvalidValue {
			t.Errorf("%s: got %v", name, r)
		}
	}
}
