package ptx

// descriptor says where a matrix that tensor cores read lies in shared memory (PTX ISA, matrix descriptors of wgmma). Memory is taken
// in chunks of 16 bytes.
type descriptor struct {
	start, leading, stride uint32
	width                  uint32 // bytes of a swizzled row: 128, 64, 32, or 16 for none
	swizzle                uint32 // as tensor maps count
	trans                  bool   // rows of memory run along m or n, not along k
	base                   uint32
}

func newDescriptor(v uint64, trans bool) descriptor {
	d := descriptor{start: uint32(v&0x3fff) << 4, leading: uint32(v>>16&0x3fff) << 4, stride: uint32(v>>32&0x3fff) << 4, base: uint32(v >> 49 & 7), trans: trans}
	d.swizzle = [4]uint32{0, 3, 2, 1}[v>>62]
	d.width = 16 << d.swizzle
	return d
}

// problem tells what is wrong with it.
func (d *descriptor) problem() string {
	switch {
	case d.base != 0:
		return "its base offset is not 0"
	case d.start&(8*d.width-1)&^(d.width-1) != 0 && d.swizzle != 0:
		return "it does not start in the first row of a swizzle's pattern"
	}
	return ""
}

// chunk returns the offset of the chunk with element (mn, k), of elements of some bytes. Without trans the chunk runs along k, with it
// along mn.
func (d *descriptor) chunk(mn, k, size uint32) uint32 {
	at := d.start
	switch per := d.width / size; {
	case d.trans && d.swizzle == 0:
		at += mn/8*d.stride + k/8*d.leading + k%8*16
	case d.trans:
		at += mn/per*d.leading + k/8*d.stride + k%8*d.width + mn%per*size&^15
	case d.swizzle == 0:
		at += mn/8*d.stride + k*size/16*d.leading + mn%8*16
	default:
		at += mn/8*d.stride + mn%8*d.width + k*size&^15
	}
	return swizzled(at, d.swizzle)
}

// chunks calls f for each chunk of a matrix of n rows (or columns) by k.
func (d *descriptor) chunks(n, k, size uint32, f func(at uint32)) {
	per := 16 / size
	if d.trans {
		for q := range k {
			for i := uint32(0); i < n; i += per {
				f(d.chunk(i, q, size))
			}
		}
		return
	}
	for i := range n {
		for q := uint32(0); q < k; q += per {
			f(d.chunk(i, q, size))
		}
	}
}

// element returns the offset of an element.
func (d *descriptor) element(mn, k, size uint32) uint32 {
	if d.trans {
		return d.chunk(mn, k, size) + mn*size&15
	}
	return d.chunk(mn, k, size) + k*size&15
}
