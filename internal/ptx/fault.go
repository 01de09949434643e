package ptx

import (
	"fmt"
	"math/bits"
	"strings"
)

// FaultKind is what went wrong in a kernel.
type FaultKind uint8

// The kinds of faults.
const (
	OutOfBounds        FaultKind = iota // an access outside every allocation or variable
	Misaligned                          // an address that is no multiple of the access's size
	UseAfterFree                        // an access to freed memory
	DivergentBarrier                    // a barrier that not all threads reach
	UnconvergedShuffle                  // a shuffle whose lanes are not all there
	UnconvergedWarp                     // an instruction of whole warps that a part of one runs
	DataRace                            // accesses to shared memory that nothing keeps in order
	Deadlock                            // threads that wait for what cannot come
	Misuse                              // what an instruction does not allow: its operands, or its place
	IllegalInstruction                  // operands for which hardware reports an illegal instruction
)

var faultNames = [...]string{
	"out-of-bounds access", "misaligned access", "use after free", "divergent barrier", "unconverged shuffle",
	"unconverged warp", "data race", "deadlock", "misuse", "illegal instruction",
}

// String returns the kind in words.
func (k FaultKind) String() string { return faultNames[k] }

// Fault tells what a kernel did wrong, and where.
type Fault struct {
	Kind        FaultKind
	Module      string
	Kernel      string
	Block       [3]uint32
	Thread      [3]uint32 // the first of the threads that are at fault
	Line        int       // of the module's text
	Instruction string
	Access      string // "read" or "write" where an address is at fault
	Space       string // "global", "shared", ...
	Address     uint64
	Bytes       int
	Nearest     Region // the allocation at or next to Address, of global memory
	Detail      string // more about it, or ""
}

// Error returns all of it in one line.
func (f *Fault) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%v in kernel %s, block %s, thread %s, at %s:%d: %s",
		f.Kind, f.Kernel, triple(f.Block), triple(f.Thread), f.Module, f.Line, f.Instruction)
	if f.Access != "" {
		fmt.Fprintf(&s, ": %s of %d bytes at %#x of %s memory", f.Access, f.Bytes, f.Address, f.Space)
	}
	if f.Nearest.Data != nil {
		s.WriteString(", " + f.nearest())
	}
	if f.Detail != "" {
		s.WriteString(": " + f.Detail)
	}
	return s.String()
}

// nearest relates the address to the allocation next to it.
func (f *Fault) nearest() string {
	r, size := f.Nearest, uint64(len(f.Nearest.Data))
	what := fmt.Sprintf("the allocation of %d bytes at %#x", size, r.Base)
	if r.Freed {
		what = "the freed " + strings.TrimPrefix(what, "the ")
	}
	switch {
	case f.Address < r.Base:
		return fmt.Sprintf("%d bytes before %s", r.Base-f.Address, what)
	case f.Address-r.Base < size:
		return fmt.Sprintf("%d bytes into %s", f.Address-r.Base, what)
	}
	return fmt.Sprintf("%d bytes past the end of %s", f.Address-r.Base-size, what)
}

func triple(v [3]uint32) string { return fmt.Sprintf("(%d,%d,%d)", v[0], v[1], v[2]) }

// fault returns a fault of the lanes of mask at the current instruction.
func (w *warp) fault(kind FaultKind, mask uint32) *Fault { return w.faultAt(kind, w.pc-1, mask) }

func (w *warp) faultAt(kind FaultKind, pc int, mask uint32) *Fault {
	k := w.b.k
	line := int(k.lines[pc])
	return &Fault{
		Kind: kind, Module: k.Module.Name, Kernel: k.Name, Block: w.b.id,
		Thread: w.thread(bits.TrailingZeros32(mask) & 31),
		Line:   line, Instruction: k.Module.line(line),
	}
}

// line returns a line of the module without its comment, one blank between words.
func (m *Module) line(n int) string {
	if n < 1 || n > len(m.lines) {
		return ""
	}
	s, _, _ := strings.Cut(m.lines[n-1], "//")
	return strings.Join(strings.Fields(s), " ")
}

// stuck is the fault of a warp whose groups wait for lanes that do not come.
func (w *warp) stuck() *Fault {
	g := w.held[0]
	kind := DivergentBarrier
	if in := &w.b.k.code[g.pc]; in.kind == kindMeet {
		kind = in.meet.fault()
	}
	f := w.faultAt(kind, g.pc, g.mask)
	f.Detail = fmt.Sprintf("lanes %#08x wait for others", g.mask)
	for _, other := range w.held[1:] {
		f.Detail += fmt.Sprintf("; lanes %#08x wait at line %d", other.mask, w.b.k.lines[other.pc])
	}
	if gone := w.all &^ w.live; gone != 0 {
		f.Detail += fmt.Sprintf("; lanes %#08x have exited", gone)
	}
	return f
}
