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
	{dtype.Float32, dtype.Int64}:    vec.ToF32 + vec.Int64,
	{dtype.Float64, dtype.Int64}:    vec.ToF64 + vec.Int64,
	{dtype.Float64, dtype.Int32}:    vec.FromI32 + vec.Float64,
	{dtype.Int32, dtype.Float32}:    vec.ToI32,
	{dtype.Int32, dtype.Float64}:    vec.ToI32 + vec.Float64,
	{dtype.Uint8, dtype.Float32}:    vec.ToU8,
	{dtype.Uint8, dtype.Int32}:      vec.ToU8 + vec.Int32,
	{dtype.Uint8, dtype.Int64}:      vec.ToU8 + vec.Int64,
	{dtype.Int32, dtype.Int64}:      vec.ToI32 + vec.Int64,
	{dtype.Int32, dtype.Uint8}:      vec.FromU8 + vec.Int32,
	{dtype.Int32, dtype.Bool}:       vec.FromU8 + vec.Int32,
	{dtype.Int64, dtype.Float32}:    vec.FromF32 + vec.Int64,
	{dtype.Int64, dtype.Float64}:    vec.FromF64 + vec.Int64,
	{dtype.Int64, dtype.Int32}:      vec.FromI32 + vec.Int64,
	{dtype.Int64, dtype.Uint8}:      vec.FromU8 + vec.Int64,
	{dtype.Int64, dtype.Bool}:       vec.FromU8 + vec.Int64,
	{dtype.Bool, dtype.Int32}:       vec.ToBool + vec.Int32,
	{dtype.Bool, dtype.Int64}:       vec.ToBool + vec.Int64,
	{dtype.Bool, dtype.Uint8}:       vec.ToBool + vec.Uint8,
	{dtype.Bool, dtype.Float32}:     vec.ToBool,
	{dtype.Bool, dtype.Float64}:     vec.ToBool + vec.Float64,
}

// addVectorCasts puts the vector loops before those in Go, which compute what is left.
func addVectorCasts(t *[dtype.Count][dtype.Count]CastFunc) {
	for types, loop := range castLoops {
		to, from := types[0], types[1]
		rest := t[to][from]
		t[to][from] = func(dst, src unsafe.Pointer, n int) {
			done := vec.Cast(loop, dst, src, to.Size(), from.Size(), n)
			if done == n {
				return // there may be nothing behind the last element to point to
			}
			// What is left begins behind as many elements of both.
			rest(unsafe.Add(dst, done*to.Size()), unsafe.Add(src, done*from.Size()), n-done)
		}
	}
}
