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

// pixelShapes returns the shapes of all tiles: fewer pixels overlap those before.
func (m *machine) pixelShapes() []shape { return []shape{{m.tallest, 1}, {m.tallest, 2}} }

func pixelName(s shape) string { return fmt.Sprintf("pixels%dx%d", s.rows, s.vectors) }

// pixelProduct is their micro-kernel, of k taps of four channels and cols of one. R12 and R11 are the distances of one channel and of three.
func (m *machine) pixelProduct(f *asm.File, s shape, e elem) {
	doc := fmt.Sprintf("c[i][j] = from[i][j] + Σ a[taps[l]+l'·colA+i] · b[l][l'][j] for %d pixels i and %d columns j", s.rows, s.vectors*m.lanes(e))
	p := product{writer: m.writer(f, pixelName(s), e, &tileCall, doc), shape: s}
	if p.masks { // all vectors are whole
		p.op("KXNORW", "K1", "K1", "K1")
	}
	p.label("tile")
	p.arg("colA", "R12")
	p.indexed("R12", "R12", 2, "R11")
	for _, f := range [][2]string{{"a", "SI"}, {"b", "BX"}, {"taps", "DX"}} {
		p.arg(f[0], f[1])
	}
	for n := range p.rows * p.vectors {
		p.zero(n)
	}
	p.prefetchPlanes()
	p.pixelSteps("k", []string{"(AX)", "(AX)(R12*1)", "(AX)(R12*2)", "(AX)(R11*1)"})
	p.pixelSteps("cols", []string{"(AX)"})
	p.finish("")
}

// prefetchPlanes prefetches where sums go in the end, a plane for each column: conv1x1/32x256x14x14 and
// conv7x7_stride2/8x3x224x224 take 0.96 of the time so.
func (p *product) prefetchPlanes() {
	p.arg("next", "AX")
	p.jumpIfZero("AX", "there")
	p.arg("rowB", "CX")
	for n := range p.vectors * p.lanes(p.elem) {
		if n > 0 {
			p.add("CX", "AX")
		}
		p.op("PREFETCHT0", "(AX)")
	}
	p.label("there")
}

// pixelSteps writes the loop over taps, whose number a field has, of some channels.
func (p *product) pixelSteps(field string, channels []string) {
	p.arg(field, "CX")
	p.jumpIfZero("CX", field+"Done")
	p.loopLabel(field)
	p.tap(memory{base: "DX"}, "AX")
	p.elements("SI", "AX", "AX")
	for n, channel := range channels {
		p.loadPanel(n)
		for i := range p.rows {
			p.addRow(i, fmt.Sprintf("%d%s", i*p.size, channel))
		}
	}
	p.add("$4", "DX")
	p.add(fmt.Sprintf("$%d", len(channels)*p.vectors*p.bytes), "BX")
	p.repeat("CX", field)
	p.label(field + "Done")
}

// pixelRunners writes the functions that run them.
func pixelRunners(out *bytes.Buffer, machines []*machine) {
	machines = slices.DeleteFunc(slices.Clone(machines), func(m *machine) bool { return m.arm })
	if len(machines) == 0 {
		out.WriteString("\nfunc runPixels[T dtype.Float](int, unsafe.Pointer) { panic(noTiles) }\n")
		return
	}
	k := kind{run: "Pixels", family: "pixels", params: "vectors int", shape: "vectors"}
	k.runner(out, machines)
	for _, m := range machines {
		var shapes []numbered
		for _, s := range m.pixelShapes() {
			shapes = append(shapes, numbered{fmt.Sprint(s.vectors), pixelName(s)})
		}
		for _, e := range elems {
			chooser(out, k, m, e, shapes)
		}
	}
}
