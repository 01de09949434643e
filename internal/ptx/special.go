package ptx

// specialKind is a value that a launch, a block or a warp brings with it.
type specialKind uint8

const (
	notSpecial specialKind = iota
	discarded              // what is written to "_"
	tidX
	tidY
	tidZ
	ntidX
	ntidY
	ntidZ
	ctaidX
	ctaidY
	ctaidZ
	nctaidX
	nctaidY
	nctaidZ
	laneID
	warpID
	nwarpID
	smID
	nsmID
	gridID
	maskEQ
	maskLT
	maskLE
	maskGT
	maskGE
	dynamicBytes
)

var specials = map[string]specialKind{
	"%tid.x": tidX, "%tid.y": tidY, "%tid.z": tidZ,
	"%ntid.x": ntidX, "%ntid.y": ntidY, "%ntid.z": ntidZ,
	"%ctaid.x": ctaidX, "%ctaid.y": ctaidY, "%ctaid.z": ctaidZ,
	"%nctaid.x": nctaidX, "%nctaid.y": nctaidY, "%nctaid.z": nctaidZ,
	"%laneid": laneID, "%warpid": warpID, "%nwarpid": nwarpID, "%smid": smID, "%nsmid": nsmID, "%gridid": gridID,
	"%lanemask_eq": maskEQ, "%lanemask_lt": maskLT, "%lanemask_le": maskLE, "%lanemask_gt": maskGT, "%lanemask_ge": maskGE,
	"%dynamic_smem_size": dynamicBytes,
}

// ofBlock reports whether the value changes from block to block.
func (k specialKind) ofBlock() bool { return k >= ctaidX && k <= ctaidZ }

// ofGrid reports whether the value is the grid's shape.
func (k specialKind) ofGrid() bool { return k >= nctaidX && k <= nctaidZ }

// special returns the value for one lane of the warp.
func (w *warp) special(k specialKind, lane int) uint32 {
	cfg := w.b.cfg
	switch {
	case k >= tidX && k <= tidZ:
		return w.thread(lane)[k-tidX]
	case k >= ntidX && k <= ntidZ:
		return cfg.Block[k-ntidX]
	case k >= ctaidX && k <= ctaidZ:
		return w.b.id[k-ctaidX]
	case k >= nctaidX && k <= nctaidZ:
		return cfg.Grid[k-nctaidX]
	}
	bit := uint32(1) << lane
	switch k {
	case laneID:
		return uint32(lane)
	case warpID:
		return uint32(w.index)
	case nwarpID:
		return uint32(len(w.b.warps))
	case nsmID:
		return 1
	case maskEQ:
		return bit
	case maskLT:
		return bit - 1
	case maskLE:
		return bit | (bit - 1)
	case maskGT:
		return ^(bit | (bit - 1))
	case maskGE:
		return ^(bit - 1)
	case dynamicBytes:
		return uint32(cfg.SharedBytes)
	}
	return 0 // smID, gridID: one multiprocessor runs one grid
}

// thread returns the position in its block of the thread in a lane.
func (w *warp) thread(lane int) [3]uint32 {
	n := uint32(w.index*32 + lane)
	x, y := w.b.cfg.Block[0], w.b.cfg.Block[1]
	return [3]uint32{n % x, n / x % y, n / x / y}
}
