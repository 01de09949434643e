package ptx

// specialKind is a special register: a value that the launch, the block or the lane decides.
type specialKind uint8

const (
	notSpecial   specialKind = iota
	discarded                // what is written to "_"
	externShared             // an address in extern shared memory
	tidX
	tidY
	tidZ
	ntidX
	ntidY
	ntidZ
	laneid
	warpid
	nwarpid
	lanemaskEq
	lanemaskLe
	lanemaskLt
	lanemaskGe
	lanemaskGt
	ctaidX
	ctaidY
	ctaidZ
	clusterRank
	clusterCtaX
	clusterCtaY
	clusterCtaZ
	clusteridX
	clusteridY
	clusteridZ
	nctaidX
	nctaidY
	nctaidZ
	clusterCount
	clusterNctaX
	clusterNctaY
	clusterNctaZ
	nclusteridX
	nclusteridY
	nclusteridZ
	dynamicShared
	totalShared
)

var specials = map[string]specialKind{
	"%tid.x": tidX, "%tid.y": tidY, "%tid.z": tidZ,
	"%ntid.x": ntidX, "%ntid.y": ntidY, "%ntid.z": ntidZ,
	"%ctaid.x": ctaidX, "%ctaid.y": ctaidY, "%ctaid.z": ctaidZ,
	"%nctaid.x": nctaidX, "%nctaid.y": nctaidY, "%nctaid.z": nctaidZ,
	"%laneid": laneid, "%warpid": warpid, "%nwarpid": nwarpid,
	"%lanemask_eq": lanemaskEq, "%lanemask_le": lanemaskLe, "%lanemask_lt": lanemaskLt,
	"%lanemask_ge": lanemaskGe, "%lanemask_gt": lanemaskGt,
	"%cluster_ctarank": clusterRank, "%cluster_nctarank": clusterCount,
	"%cluster_ctaid.x": clusterCtaX, "%cluster_ctaid.y": clusterCtaY, "%cluster_ctaid.z": clusterCtaZ,
	"%cluster_nctaid.x": clusterNctaX, "%cluster_nctaid.y": clusterNctaY, "%cluster_nctaid.z": clusterNctaZ,
	"%clusterid.x": clusteridX, "%clusterid.y": clusteridY, "%clusterid.z": clusteridZ,
	"%nclusterid.x": nclusteridX, "%nclusterid.y": nclusteridY, "%nclusterid.z": nclusteridZ,
	"%dynamic_smem_size": dynamicShared, "%total_smem_size": totalShared,
}

// ofBlock reports whether the value changes from block to block.
func (k specialKind) ofBlock() bool { return k >= ctaidX && k <= clusteridZ }

// ofGrid reports whether the value is the same in all blocks and differs between launches.
func (k specialKind) ofGrid() bool { return k >= nctaidX }

// special returns the value for one lane of the warp.
func (w *warp) special(k specialKind, lane int) uint32 {
	b, shape := w.b, w.b.cfg.cluster()
	switch {
	case k == totalShared:
		return uint32(len(b.shared))
	case k == dynamicShared:
		return b.cfg.Shared
	case k >= nclusteridX:
		return b.cfg.Grid[k-nclusteridX] / shape[k-nclusteridX]
	case k >= clusterNctaX:
		return shape[k-clusterNctaX]
	case k == clusterCount:
		return shape[0] * shape[1] * shape[2]
	case k >= nctaidX:
		return b.cfg.Grid[k-nctaidX]
	case k >= clusteridX:
		return b.id[k-clusteridX] / shape[k-clusteridX]
	case k >= clusterCtaX:
		return b.id[k-clusterCtaX] % shape[k-clusterCtaX]
	case k == clusterRank:
		return uint32(b.rank)
	case k >= ctaidX:
		return b.id[k-ctaidX]
	case k >= laneid:
		return w.ofLane(k, lane)
	case k >= ntidX:
		return b.cfg.Block[k-ntidX]
	}
	return w.thread(lane)[k-tidX]
}

// ofLane returns the numbers of lane and warp, and the masks of the lanes beside it.
func (w *warp) ofLane(k specialKind, lane int) uint32 {
	own := uint32(1) << lane
	switch k {
	case laneid:
		return uint32(lane)
	case warpid:
		return uint32(w.index)
	case nwarpid:
		return uint32(len(w.b.warps))
	case lanemaskEq:
		return own
	case lanemaskLe:
		return own | (own - 1)
	case lanemaskLt:
		return own - 1
	case lanemaskGe:
		return -own
	}
	return -own &^ own
}

// thread returns the position in its block of the thread in a lane.
func (w *warp) thread(lane int) [3]uint32 {
	n := uint32(w.index*32 + lane)
	x, y := w.b.cfg.Block[0], w.b.cfg.Block[1]
	return [3]uint32{n % x, n / x % y, n / x / y}
}
