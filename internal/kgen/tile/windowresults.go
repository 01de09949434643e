package tile

import "fmt"

// storeResults writes y, and the places as 8-byte numbers that count from the plane's start.
func (w *windowed) storeResults() {
	w.storeMasked(best, memory{base: "R10"}, outMask)
	if !w.index {
		return
	}
	w.move("R9", "R14")
	if w.arm {
		w.op("MOVD", w.field("plane"), armScratch)
		w.whole("", "SUB", armScratch, "R14")
	} else {
		w.op("SUBQ", w.field("plane"), "R14")
	}
	w.whole("SHRQ", "LSR", map[int]string{4: "$2", 8: "$3"}[w.size], "R14")
	if w.arm {
		w.neonPlaces()
		return
	}
	w.op("VMOVQ", "R14", fmt.Sprintf("X%d", spare))
	w.op(w.integer("VPBROADCAST"), fmt.Sprintf("X%d", spare), w.reg(spare))
	p := w.reg(place)
	w.op(w.integer("VPADD"), w.reg(spare), p, p)
	w.op(w.integer("VPADD"), w.reg(ramp), p, p)
	if w.size == 8 {
		w.storePlaces(place, 0, wideMask)
		return
	}
	half, extract := fmt.Sprintf("X%d", place), "VEXTRACTI128"
	if w.masks {
		half, extract = fmt.Sprintf("Y%d", place), "VEXTRACTI64X4"
	}
	w.op("VPMOVSXDQ", half, w.reg(spare))
	w.storePlaces(spare, 0, wideMask)
	w.op(extract, "$1", p, half)
	w.op("VPMOVSXDQ", half, w.reg(spare))
	w.storePlaces(spare, w.bytes, wideMask+1)
}

// storePlaces writes a vector of places.
func (w *windowed) storePlaces(from, offset, mask int) {
	wide := *w.writer
	wide.elem = elems[1]
	(&windowed{writer: &wide}).storeMasked(from, memory{base: "R11", offset: offset}, mask)
}

// neonPlaces is storeResults for the places under NEON.
func (w *windowed) neonPlaces() {
	w.broadcastWord("", "R14", spare)
	for _, r := range []int{spare, ramp} {
		w.op("VADD", w.numbers(r), w.numbers(place), w.numbers(place))
	}
	if w.size == 4 {
		w.fn.Word(0x4f20a400|place<<5|upper, "SSHLL2 V%d.2D, V%d.4S, #0", upper, place)
		w.fn.Word(0x0f20a400|place<<5|place, "SSHLL V%d.2D, V%d.2S, #0", place, place)
	}
	w.storePlaces(place, 0, 0)
	if w.size == 4 && !w.part {
		w.storePlaces(upper, neonBytes, 0)
	}
}
