package ptx

import "strings"

// failHere ends parsing with an error at the instruction being decoded.
func (b *body) failHere(format string, args ...any) { b.failAt(b.at, format, args...) }

// register returns the slot of a register that must be of file f.
func (b *body) register(o operand, f file) int32 {
	if o.kind != nameOperand {
		b.failHere("want a register")
	}
	r, slot, ok := b.find(o.name)
	switch {
	case !ok:
		b.failHere("register %s is not declared", o.name)
	case r.file != f:
		b.failHere("register %s holds %v, want %v", o.name, r.file, f)
	}
	return slot
}

// dest returns the slot that an instruction writes a value of type t to. "_" is a slot that is never read.
func (b *body) dest(o operand, t dataType) int32 {
	if o.kind == nameOperand && o.name == "_" {
		return b.fresh(known{file: t.file(), what: discarded})
	}
	if o.not || o.offset != 0 {
		b.failHere("want a register to write to")
	}
	slot := b.register(o, t.file())
	b.touched(slot, t.file(), true)
	return slot
}

// touched notes a register that the instruction being decoded uses.
func (b *body) touched(slot int32, f file, write bool) {
	if f == file32 {
		b.now = append(b.now, touch{slot, write})
	}
}

// source returns the slot that holds a value of type t: of a register, a constant, a special register or the address of a
// variable.
func (b *body) source(o operand, t dataType) int32 {
	if o.not {
		b.failHere("only a predicate can be negated")
	}
	switch o.kind {
	case nameOperand:
		if _, slot, ok := b.find(o.name); ok && o.offset == 0 {
			b.register(o, t.file())
			b.touched(slot, t.file(), false)
			return slot
		}
		if strings.HasPrefix(o.name, "%") {
			return b.special(o.name, t)
		}
		return b.symbol(o, t)
	case intOperand, float32Operand, float64Operand:
		v, ok := o.bits(t)
		if !ok {
			b.failHere("a constant does not fit the type %s", t.name)
		}
		return b.constantSlot(t.file(), v)
	}
	b.failHere("want a register or a constant")
	return 0
}

// constantSlot returns a slot that always holds v.
func (b *body) constantSlot(f file, v uint64) int32 {
	if f == file32 {
		v &= 1<<32 - 1
	}
	return b.fresh(known{file: f, value: v})
}

// fresh returns the slot of a value that the launch fills in, the same for the same value.
func (b *body) fresh(v known) int32 {
	if slot, ok := b.known[v]; ok {
		return slot
	}
	slot := b.slots[v.file]
	if slot >= 2*maxRegisters {
		b.failHere("%s has too many constants", b.k.Name)
	}
	b.slots[v.file]++
	b.known[v] = slot
	switch c := (constant{slot, v.value}); {
	case v.what == discarded:
	case v.what != notSpecial && v.what != externShared:
		b.k.specials = append(b.k.specials, special{slot, v.what})
	case v.what == externShared:
		b.extern = append(b.extern, externUse{v.file, c})
	case v.name != "":
		b.k.bound = append(b.k.bound, binding{slot, b.m.globals[v.name], int64(v.value)})
	case v.file == file32:
		b.k.consts32 = append(b.k.consts32, c)
	case v.file == file64:
		b.k.consts64 = append(b.k.consts64, c)
	default:
		b.k.constsP = append(b.k.constsP, c)
	}
	return slot
}

// special returns the slot of a special register.
func (b *body) special(name string, t dataType) int32 {
	what, ok := specials[name]
	if !ok {
		b.failHere("register %s is neither declared nor a special register that is supported", name)
	}
	if t.file() != file32 {
		b.failHere("register %s holds %v, want %v", name, file32, t.file())
	}
	return b.fresh(known{file: file32, what: what})
}

// symbol returns the slot with the address of a variable within its space.
func (b *body) symbol(o operand, t dataType) int32 {
	if at, ok := b.place(o.name); ok {
		return b.constantSlot(t.file(), uint64(at+o.offset))
	}
	if s, ok := b.m.extern[o.name]; ok {
		b.k.ExternShared = true
		b.k.externAlign = max(b.k.externAlign, s.Align)
		return b.fresh(known{file: t.file(), what: externShared, value: uint64(o.offset)})
	}
	if _, ok := b.m.globals[o.name]; !ok {
		b.failHere("%s is not declared", o.name)
	}
	if t.file() != file64 {
		b.failHere("the address of %s takes 64 bits", o.name)
	}
	return b.fresh(known{file: file64, name: o.name, value: uint64(o.offset)})
}

// place returns the offset of a parameter or a shared variable in its space. Shared variables of the module get theirs with
// their first use.
func (b *body) place(name string) (at int64, ok bool) {
	for _, p := range b.k.Params {
		if p.Name == name {
			return int64(p.Offset), true
		}
	}
	if at, ok := b.shared[name]; ok {
		return at, true
	}
	if s, ok := b.m.shared[name]; ok {
		b.declareShared(b.at, s)
		return b.shared[name], true
	}
	return 0, false
}

// externUse is a constant that counts from the start of extern shared memory, which is known when all other variables are.
type externUse struct {
	file file
	constant
}

// placeExtern puts extern shared memory behind the other variables.
func (b *body) placeExtern() {
	if !b.k.ExternShared {
		return
	}
	b.k.Shared = (b.k.Shared + b.k.externAlign - 1) &^ (b.k.externAlign - 1)
	for _, u := range b.extern {
		u.value += uint64(b.k.Shared)
		if u.file == file32 {
			u.value &= 1<<32 - 1
			b.k.consts32 = append(b.k.consts32, u.constant)
			continue
		}
		b.k.consts64 = append(b.k.consts64, u.constant)
	}
}

// declareShared gives a shared variable its place.
func (b *body) declareShared(line int, s Symbol) {
	b.k.Shared = (b.k.Shared + s.Align - 1) &^ (s.Align - 1)
	b.shared[s.Name] = int64(b.k.Shared)
	if b.k.Shared += s.Size; b.k.Shared > 228<<10 {
		b.failAt(line, "shared memory of %s is larger than 228 KiB", b.k.Name)
	}
}
