package ptx

// specialKind is a special register: a value that the launch, the block or the lane decides.
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
)

var specials = map[string]specialKind{
	"%tid.x": tidX, "%tid.y": tidY, "%tid.z": tidZ,
	"%ntid.x": ntidX, "%ntid.y": ntidY, "%ntid.z": ntidZ,
	"%ctaid.x": ctaidX, "%ctaid.y": ctaidY, "%ctaid.z": ctaidZ,
	"%nctaid.x": nctaidX, "%nctaid.y": nctaidY, "%nctaid.z": nctaidZ,
}

// ofBlock reports whether the value changes from block to block.
func (k specialKind) ofBlock() bool { return k >= ctaidX && k <= ctaidZ }

// ofGrid reports whether the value is the grid's shape.
func (k specialKind) ofGrid() bool { return k >= nctaidX }

// special returns the value for one lane of the warp.
func (w *warp) special(k specialKind, lane int) uint32 {
	switch {
	case k >= nctaidX:
		return w.b.cfg.Grid[k-nctaidX]
	case k >= ctaidX:
		return w.b.id[k-ctaidX]
	case k >= ntidX:
		return w.b.cfg.Block[k-ntidX]
	}
	return w.thread(lane)[k-tidX]
}

// thread returns the position in its block of the thread in a lane.
func (w *warp) thread(lane int) [3]uint32 {
	n := uint32(w.index*32 + lane)
	x, y := w.b.cfg.Block[0], w.b.cfg.Block[1]
	return [3]uint32{n % x, n / x % y, n / x / y}
}
