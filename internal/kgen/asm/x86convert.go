package asm

// loadAs reads elements of another type than the loop computes with.
func (m *x86) loadAs(p *placer, in *inst, dst int) { panic("asm: no way to load " + in.elem.String()) }

// storeAs writes elements of another type than the loop computes with.
func (m *x86) storeAs(p *placer, in *inst) { panic("asm: no way to store " + in.elem.String()) }
