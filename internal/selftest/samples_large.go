package selftest

import (
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// large has checks with so many tiles that a GPU with all of its multiprocessors takes larger ones.
func large() []Check {
	return slices.Concat(checksOf("large products", largeMatmuls()), checksOf("large convolutions", largeConvolutions()))
}

// largeMatmuls are products of many tiles, of lines that are aligned for pairs alone, of a long common axis, and of both many tiles and a long axis, for
// which tiles of 128x256 are.
func largeMatmuls() []sample {
	return slices.Concat(matmuls(4230, 72, 4230), matmuls(1160, 40, 1160), matmuls(256, 512, 384), in(matmuls(3080, 72, 3080), dtype.Float32), roundedMatmuls(3080, 72, 3080),
		in(slices.Concat(matmuls(1538, 1538, 1538), matmuls(1528, 2568, 1528)[:4], matmuls(1784, 3592, 1784)[:4], matmuls(1280, 1024, 1280)[:4], matmuls(1002, 1002, 1002)[:4]), dtype.Float16, dtype.BFloat16), in(matmuls(1024, 8192, 1024)[:4], dtype.BFloat16), in(matmuls(1024, 8192, 1024)[2:3], dtype.Float16),
		[]sample{bytesSample([3]int{300, 2048, 4096}), bytesSample([3]int{2048, 1024, 8192})})
}

// largeConvolutions are of many channels, many pixels, or both; of few channels, of extents that are prime, and of groups whose channels no box of the TMA holds apart.
func largeConvolutions() []sample {
	all := func() []sample {
		return []sample{
			conv("conv2d of 512 channels", of(1, 512, 9, 9), of(512, 512, 3, 3), 512, tensor.Padding(1)),
			conv("conv2d of 512 channels and many pixels", of(1, 512, 28, 27), of(520, 512, 3, 3), 520, tensor.Padding(1)),
			conv("conv2d of 72 channels", of(4, 72, 56, 56), of(64, 72, 3, 3), 64, tensor.Padding(1)),
			conv("conv2d to 32 channels", of(4, 64, 56, 56), of(32, 64, 3, 3), 32, tensor.Padding(1)),
			conv("conv2d of 3 channels", of(8, 3, 56, 57), of(32, 3, 3, 3), 32, tensor.Padding(1)),
			conv("conv2d of 20 channels", of(8, 20, 56, 55), of(200, 20, 3, 3), 200, tensor.Padding(1)),
			conv("conv2d of many pixels", of(8, 64, 56, 56), of(128, 64, 3, 3), 128, tensor.Padding(1)),
			conv("conv2d of planes that no box cuts without a rest", of(2, 128, 67, 71), of(256, 128, 3, 3), 256, tensor.Padding(1)),
			conv("conv2d of two groups", of(8, 80, 56, 56), of(512, 40, 3, 3), 512, tensor.Padding(1), tensor.Groups(2)),
		}
	}
	halves := all()
	for i := range halves {
		halves[i] = inHalves(halves[i])
	}
	return slices.Concat(in(all(), dtype.Float32), halves, rounding(all()...))
}
