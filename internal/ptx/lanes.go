package ptx

// loops are what the lanes of a warp go through. Tables have the keys of those in Go, which they stand in for where a processor's vectors do the same.
type loops struct {
	forms   map[string]form
	tests32 map[string]tests[uint32]
	tests64 map[string]tests[uint64]
	moves32 map[movement]moves[lanes32]
	moves64 map[movement]moves[lanes64]

	choose32    func(d, a, b *lanes32, p uint32)
	choose64    func(d, a, b *lanes64, p uint32)
	addresses32 func(d *lanes64, base *lanes32, offset uint64) (some uint64)
	addresses64 func(d, base *lanes64, offset uint64) (some uint64)
	within      func(addr *lanes64, base, last uint64) uint32

	addBlock func(d, c *[8]float32, a *operandRow, b *columns, at, n, fraction int) (left uint32)
}

// inGo are the loops of processors without vectors.
var inGo = loops{
	choose32: choose[uint32], choose64: choose[uint64],
	addresses32: addAddresses[uint32], addresses64: addAddresses[uint64], within: within,
	addBlock: addBlock,
}

// lanes are those that run.
var lanes = fastestLoops()

// fastest returns the form with what vectors do of it.
func (f form) fastest(key string) form {
	v := lanes.forms[key]
	if v.op32 != nil && f.op32 != nil {
		f.op32 = v.op32
	}
	if v.op64 != nil && f.op64 != nil {
		f.op64 = v.op64
	}
	return f
}

// testOf returns a type's test of that name, nil where there is none: of fast tables and slow ones.
func testOf[T word](fast, slow map[string]tests[T], typeName, name string) test[T] {
	if t := fast[typeName][name]; t != nil {
		return t
	}
	return slow[typeName][name]
}
