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

// addAddresses computes base + offset, and returns the bits that are set in some lane of d.
func addAddresses[T word](d *lanes64, base *[32]T, offset uint64) (some uint64) {
	for i, a := range base {
		d[i] = uint64(a) + offset
		some |= d[i]
	}
	return some
}

// within returns the lanes with addr - base ≤ last.
func within(addr *lanes64, base, last uint64) (in uint32) {
	for i, a := range addr {
		in |= bit(a-base <= last) << i
	}
	return in
}

// A movement is a kind of load or store of all lanes: the bytes of an element, and how many a lane has.
type movement struct{ bytes, elements int }

// moves are its functions: load and store move elements of lanes that lie behind each other from data + addr - base. The registers are apart as their
// numbers are, of which first is that of regs[0].
type moves[R lanes32 | lanes64] struct {
	load, store func(first *R, regs *[4]int32, addr *lanes64, data *byte, base uint64)
}

// find returns the function that an access may use, or nil.
func (m moves[R]) find(a *access) func(first *R, regs *[4]int32, addr *lanes64, data *byte, base uint64) {
	switch {
	case a.write:
		return m.store
	case a.signed && a.bytes < 4:
		return nil
	}
	return m.load
}

// quicken gives a load or store its function for all lanes.
func (m *access) quicken() {
	kind := movement{m.bytes, m.vector}
	if !m.wide {
		m.all32 = lanes.moves32[kind].find(m)
	} else if m.bytes == 8 {
		m.all64 = lanes.moves64[kind].find(m)
	}
}
