package tile

import (
	"bytes"
	"fmt"
	"slices"

	"cresset/internal/kgen/asm"
)

// On amd64 convolutions have tiles whose rows are neighbouring pixels and whose columns are outputs. Elements of a pixel's window lie anywhere, but
// numbers that are repeated over a vector cross no cache lines wherever they lie: so a table (taps) finds them in the input itself, and vectors are of
// packed weights, which all pixels share. A tap is of four channels, as far apart everywhere, so that a step takes hardly more instructions than one
// of packed operands; then come taps of one channel.

// pixelTile is a micro-kernel: fewer pixels overlap those before.
type pixelTile struct {
	vectors int
	phases  bool // vectors are of two phases of columns: sums of the second are of pixels as far behind those of the first as shift says
	shift   int
}

// pixelTiles returns all of them.
func (m *machine) pixelTiles() []pixelTile {
	all := []pixelTile{{vectors: 1}, {vectors: 2}}
	if m.masks {
		all = append(all, pixelTile{2, true, 0}, pixelTile{2, true, 1})
	}
	return all
}

func (t pixelTile) name(m *machine) string {
	if t.phases {
		return fmt.Sprintf("phases%dx%d", m.tallest, t.shift)
	}
	return fmt.Sprintf("pixels%dx%d", m.tallest, t.vectors)
}

// pixelProduct is their micro-kernel, of k taps of four channels and cols of one. R12 and R11 are the distances of one channel and of three. R13 points to
// what is prefetched with each tap: where a column goes in the end, whose plane is as far from the next as R15 holds, from R8 up to R9.
func (m *machine) pixelProduct(f *asm.File, t pixelTile, e elem) {
	s := shape{m.tallest, t.vectors}
	doc := fmt.Sprintf("c[i][j] = from[i][j] + Σ a[taps[l]+l'·colA+i] · b[l][l'][j] for %d pixels i and %d columns j", s.rows, s.vectors*m.lanes(e))
	if t.phases {
		doc += fmt.Sprintf(", the second half of them %d pixels further", t.shift)
	}
	p := product{writer: m.writer(f, t.name(m), e, &tileCall, doc), shape: s, unmasked: true}
	p.label("tile")
	p.arg("colA", "R12")
	p.indexed("R12", "R12", 2, "R11")
	for _, f := range [][2]string{{"a", "SI"}, {"b", "BX"}, {"taps", "DX"}, {"next", "R8"}, {"rowB", "R15"}} {
		p.arg(f[0], f[1])
	}
	p.move("R8", "R13")
	p.op("IMUL3Q", fmt.Sprintf("$%d", t.planes(p.lanes(e))), "R15", "R9")
	p.add("R8", "R9")
	for n := range p.rows * p.vectors {
		p.zero(n)
	}
	p.pixelSteps(t, "k", []string{"(AX)", "(AX)(R12*1)", "(AX)(R12*2)", "(AX)(R11*1)"})
	p.pixelSteps(t, "cols", []string{"(AX)"})
	p.addFrom("")
	if p.masks {
		p.compareArg("planes", "$0", "")
		p.jump("NE", "planes")
	}
	p.storeRows()
	p.label("next")
	p.nextTile("done")
	if p.masks {
		p.label("planes")
		p.storePlanes(t)
		p.goTo("next")
	}
}

// planes is to how many planes columns go.
func (t pixelTile) planes(lanes int) int {
	if t.phases {
		return lanes
	}
	return t.vectors * lanes
}

// pixelSteps writes the loop over taps, whose number a field has, of some channels.
func (p *product) pixelSteps(t pixelTile, field string, channels []string) {
	p.arg(field, "CX")
	p.jumpIfZero("CX", field+"Done")
	p.loopLabel(field)
	p.tap(memory{base: "DX"}, "AX")
	p.elements("SI", "AX", "AX")
	p.prefetchPlane(t)
	for n, channel := range channels {
		p.loadPanel(n)
		for i := range p.rows + t.shift {
			a := p.elementOfA(i)
			p.loadFactor(fmt.Sprintf("%d%s", i*p.size, channel), a)
			for v := range p.vectors {
				if row := i - v*t.shift; row >= 0 && row < p.rows {
					p.fmaFactor(p.rowOfB(v), a, p.sum(row, v))
				}
			}
		}
	}
	p.add("$4", "DX")
	p.add(fmt.Sprintf("$%d", len(channels)*p.vectors*p.bytes), "BX")
	p.repeat("CX", field)
	p.label(field + "Done")
}

// prefetchPlane prefetches where a column goes in the end, and returns from the last to the first. All at once would take all the places where a core keeps what it
// waits for: conv_transpose2x2/8x128x28x28 takes a twentieth less time so.
func (p *product) prefetchPlane(t pixelTile) {
	p.op("PREFETCHT0", "(R13)")
	if t.phases {
		p.op("PREFETCHT0", at("R13", p.vectors*p.rows*p.size-1))
	}
	p.add("R15", "R13")
	p.compare("R13", "R9")
	p.op("CMOVQCC", "R8", "R13")
}

// storePlanes transposes the sums and stores each column to its plane, from next on: of phases those of a pixel beside each other.
func (p *product) storePlanes(t pixelTile) {
	p.arg("next", "SI")
	p.arg("rowB", "R10")
	if t.phases {
		p.storeColumns(registers(0, p.rows*p.vectors))
		return
	}
	for v := range p.vectors {
		var rows []int
		for i := range p.rows {
			rows = append(rows, p.sum(i, v))
		}
		p.storeColumns(rows)
		p.move("R8", "SI")
	}
}

// storeColumns stores the columns of rows in registers, the first to where SI points. Other rows may be in registers of higher numbers alone.
func (p *product) storeColumns(rows []int) {
	lanes, free := p.lanes(p.elem), registers(p.rows*p.vectors, p.count)
	if over := len(rows) % lanes; over > 0 {
		p.op("MOVL", fmt.Sprintf("$%d", 1<<over-1), "AX")
		p.op("KMOVW", "AX", "K2")
	}
	for first := 0; first < len(rows); first += lanes {
		square := rows[first:min(first+lanes, len(rows))]
		p.move("SI", "R8")
		columns := p.exchange(square, free)
		p.part, p.mask = len(square) < lanes, "K2"
		for _, c := range columns {
			p.writer.store(c, memory{base: "R8", offset: first * p.size})
			p.add("R10", "R8")
		}
		free = slices.Compact(slices.Sorted(slices.Values(slices.Concat(free, columns, square))))
	}
	p.part = false
}

// pixelRunners writes the functions that run them.
func pixelRunners(out *bytes.Buffer, machines []*machine) {
	machines = slices.DeleteFunc(slices.Clone(machines), func(m *machine) bool { return m.arm })
	if len(machines) == 0 {
		out.WriteString("\nfunc runPixels[T dtype.Float](int, unsafe.Pointer) { panic(noTiles) }\n")
		return
	}
	k := kind{run: "Pixels", family: "pixels", params: "kind int", shape: "kind"}
	k.runner(out, machines)
	for _, m := range machines {
		var shapes []numbered
		for n, t := range m.pixelTiles() {
			shapes = append(shapes, numbered{fmt.Sprint(n + 1), t.name(m)})
		}
		for _, e := range elems {
			chooser(out, k, m, e, shapes)
		}
	}
}
