package ptx

// lanes32 and lanes64 are registers: a value for each lane of a warp.
type (
	lanes32 = [32]uint32
	lanes64 = [32]uint64
)

const allLanes = ^uint32(0)

// instr is a decoded instruction.
type instr struct {
	kind     instrKind
	guard    int32  // predicate that chooses lanes, or -1
	guardNot uint32 // all ones where the guard is negated
	d        int32  // slots; of a branch the target
	a, b, c  int32
	op32     op32
	op64     op64
	exec     exec
	access   *access
	meet     *meetOp
	again    func(w *warp) (done bool, f *Fault)
	product  bool // wgmma itself, or what it needs
	barrier  *barrierOp
}

type instrKind uint8

const (
	kind32     instrKind = iota // op32 on slots of file32
	kind64                      // op64 on slots of file64
	kindExec                    // exec
	kindBranch                  // to d
	kindExit
	kindBarrier
	kindMeet        // once the lanes of its member mask have met
	kindTry         // exec, which lets other warps run where it finds nothing to go on with
	kindGroupWait   // again, until it is done
	kindClusterWait // until the warps of the cluster have arrived
)

type (
	// op32 and op64 compute a result for all lanes.
	op32 func(d, a, b, c *lanes32)
	op64 func(d, a, b, c *lanes64)
	// exec runs an instruction for the lanes of mask.
	exec func(w *warp, in *instr, mask uint32) *Fault
)

// to32 returns where to write a result of file32 for the lanes of mask: in the register where every live lane takes part,
// else beside it, for keep32.
func (w *warp) to32(slot int32, mask uint32) *lanes32 {
	if mask == w.live {
		return &w.r32[slot]
	}
	return &w.beside32
}

func (w *warp) keep32(slot int32, mask uint32) {
	if mask != w.live {
		lanes.choose32(&w.r32[slot], &w.beside32, &w.r32[slot], mask)
	}
}

// to64 and keep64 are to32 and keep32 for file64.
func (w *warp) to64(slot int32, mask uint32) *lanes64 {
	if mask == w.live {
		return &w.r64[slot]
	}
	return &w.beside64
}

func (w *warp) keep64(slot int32, mask uint32) {
	if mask != w.live {
		lanes.choose64(&w.r64[slot], &w.beside64, &w.r64[slot], mask)
	}
}

// keepP writes a predicate for the lanes of mask.
func (w *warp) keepP(slot int32, v, mask uint32) {
	w.preds[slot] = w.preds[slot]&^mask | v&mask
}

// widening, narrowing and shifting make an exec of a computation whose operands live in different files.

func widening(op func(d *lanes64, a, b *lanes32)) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		op(w.to64(in.d, mask), &w.r32[in.a], &w.r32[in.b])
		w.keep64(in.d, mask)
		return nil
	}
}

func narrowing(op func(d *lanes32, a *lanes64)) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		op(w.to32(in.d, mask), &w.r64[in.a])
		w.keep32(in.d, mask)
		return nil
	}
}

func shifting(op func(d, a *lanes64, b *lanes32)) exec {
	return func(w *warp, in *instr, mask uint32) *Fault {
		op(w.to64(in.d, mask), &w.r64[in.a], &w.r32[in.b])
		w.keep64(in.d, mask)
		return nil
	}
}
