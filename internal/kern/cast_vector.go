package kern

import (
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// castLoops has the vector loops by destination and source.
var castLoops = map[[2]dtype.DType]vec.Loop{
	{dtype.Float64, dtype.Float32}:  vec.FromF32 + vec.Float64,
	{dtype.Float64, dtype.Bool}:     vec.FromBool + vec.Float64,
	{dtype.Float32, dtype.Float64}:  vec.ToF32 + vec.Float64,
	{dtype.Float32, dtype.Float16}:  vec.FromF16,
	{dtype.Float32, dtype.BFloat16}: vec.FromBF16,
	{dtype.Float32, dtype.Int32}:    vec.FromI32,
	{dtype.Float32, dtype.Uint8}:    vec.FromU8,
	{dtype.Float32, dtype.Bool}:     vec.FromBool,
	{dtype.Float16, dtype.Float32}:  vec.ToF16,
	{dtype.BFloat16, dtype.Float32}: vec.ToBF16,
	{dtype.Int32, dtype.Float32}:    vec.ToI32,
	{dtype.Bool, dtype.Float32}:     vec.ToBool,
	{dtype.Bool, dtype.Float64}:     vec.ToBool + vec.Float64,
}

// vectorCasts are the casts, with the vector loop before the one in Go where there is one.
var vectorCasts = addVectorCasts(casts)

func addVectorCasts(table [dtype.Count][dtype.Count]CastFunc) [dtype.Count][dtype.Count]CastFunc {
	for types, loop := range castLoops {
		to, from := types[0], types[1]
		rest := table[to][from]
		table[to][from] = func(dst, src unsafe.Pointer, n int) {
			done := vec.Cast(loop, dst, src, to.Size(), from.Size(), n)
			if done == n {
				return // there may be nothing behind the last element to point to
			}
			// What is left begins behind as many elements of both.
			rest(unsafe.Add(dst, done*to.Size()), unsafe.Add(src, done*from.Size()), n-done)
		}
	}
	return table
}
