package ptx

import "testing"

func TestTensorMap(t *testing.T) {
	for _, want := range []TensorMap{
		{Type: 9, Rank: 2, Address: 1<<40 + 16, Extents: [5]uint64{1 << 32, 3, 1, 1, 1}, Strides: [4]uint64{1 << 34}, Box: [5]uint32{64, 256, 1, 1, 1},
			Steps: [5]uint32{1, 1, 1, 1, 1}, Swizzle: 3, L2: 2},
		{Type: 7, Rank: 5, Address: 16, Extents: [5]uint64{1, 2, 3, 4, 5}, Strides: [4]uint64{16, 32, 96, 384}, Box: [5]uint32{4, 1, 2, 3, 5},
			Steps: [5]uint32{1, 8, 2, 1, 3}, Interleave: 1, Swizzle: 1, NaNs: true},
	} {
		b := want.Encode()
		got, err := DecodeTensorMap(b[:])
		if err != nil || *got != want {
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
		}
	}
	for _, b := range [][]byte{nil, make([]byte, 128), make([]byte, 64)} {
		if _, err := DecodeTensorMap(b); err == nil {
			t.Errorf("%d zeros are a tensor map", len(b))
		}
	}
	sound := (&TensorMap{Rank: 1}).Encode()
	for at, wrong := range map[int]byte{0: 1, 83: 13, 84: 6} {
		b := sound
		b[at] = wrong
		if _, err := DecodeTensorMap(b[:]); err == nil {
			t.Errorf("byte %d is %d: taken", at, wrong)
		}
	}
}
