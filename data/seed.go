package data

import (
	"cresset/dtype"
	"cresset/tensor"
)

// drawSeed draws a number from 0 to 2**63 - 1.
func drawSeed(g *tensor.Generator) int64 {
	return tensor.Place{}.As(dtype.Int64).Empty().RandomInPlace(g).Item().(int64)
}

// sampleSeed returns the seed of one sample: of an epoch with a seed of its own, at a place in the epoch's order, with an index in the
// data set. A sample that comes twice in an epoch has two seeds, and so have the samples at one place of several processes.
func sampleSeed(epoch int64, place, index int) int64 {
	h := scramble(uint64(epoch) + uint64(place+1)*0x9e3779b97f4a7c15)
	return int64(scramble(h+uint64(index+1)*0x9e3779b97f4a7c15) >> 1)
}

// scramble is the finalizer of SplitMix64.
func scramble(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// drawSeeds draws seeds of samples from the default generator.
func drawSeeds(n int) []int64 {
	first := drawSeed(nil)
	seeds := make([]int64, n)
	for i := range seeds {
		seeds[i] = sampleSeed(first, i, 0)
	}
	return seeds
}
