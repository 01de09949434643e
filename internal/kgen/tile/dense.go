package tile

import "fmt"

// Tiles whose B is packed, and whose A is too or has contiguous rows, have loops of their own under AVX2, four steps long, whose addresses are constants from
// two registers, or from those of rows: a fifth fewer instructions than the loop for any strides, of which a core runs short where another thread shares it.
// mm/512 takes a tenth less time there, mm/128 an eighth by rows.

// denseUnroll is how many steps of k it takes at a time.
const denseUnroll = 4

// denseTiles computes the tile where B is packed and A is one of both kinds, and falls through where they are not. Kernels of the tiles that large products
// are cut into have it.
func (p *product) denseTiles() {
	if p.taps || p.vectors != 2 || p.rows < 4 {
		return
	}
	apart := func(register string, bytes int, otherwise string) {
		p.compare(register, fmt.Sprintf("$%d", bytes))
		p.jump("NE", otherwise)
	}
	p.dense = true
	apart("R13", p.vectors*p.bytes, "apart")
	apart("R12", p.rows*p.size, "rowwise")
	apart("R10", p.size, "apart")
	p.tile("Dense")
	p.rowwise = true
	p.label("rowwise")
	apart("R12", p.size, "apart")
	p.tile("Rowwise")
	p.dense, p.rowwise = false, false
	p.label("apart")
}

// denseSteps adds the products of CX steps, at least one.
func (p *product) denseSteps(label string) {
	move := func(steps int) {
		if p.rowwise {
			p.moveRows(p.rows, fmt.Sprintf("$%d", steps*p.size))
		} else {
			p.add(fmt.Sprintf("$%d", steps*p.rows*p.size), "SI")
		}
		p.add(fmt.Sprintf("$%d", steps*p.vectors*p.bytes), "BX")
		p.add(fmt.Sprintf("$%d", 16*steps), "DX")
	}
	p.label("loop" + label)
	p.sub(fmt.Sprintf("$%d", denseUnroll), "CX")
	p.jump("LT", "few"+label)
	p.loopLabel("four" + label)
	for n := range denseUnroll {
		p.denseStep(n)
	}
	p.prefetchNext("DX")
	move(denseUnroll)
	p.sub(fmt.Sprintf("$%d", denseUnroll), "CX")
	p.jump("GE", "four"+label)
	p.label("few" + label)
	p.add(fmt.Sprintf("$%d", denseUnroll), "CX")
	p.op("JZ", "done"+label+"Steps")
	p.label("one" + label)
	p.denseStep(0)
	move(1)
	p.repeat("CX", "one"+label)
	p.label("done" + label + "Steps")
}

// denseStep adds the products of the nth step from where SI and BX, or rows and BX, point.
func (p *product) denseStep(n int) {
	p.loadPanel(n)
	for i := range p.rows {
		element := memory{base: "SI", offset: (n*p.rows + i) * p.size}.String()
		if p.rowwise {
			element = fmt.Sprintf("%d%s", n*p.size, p.rowOfA(i))
		}
		p.addRow(i, element)
	}
}

// loadPanel loads the nth row from where BX points of a B that is packed.
func (p *product) loadPanel(n int) {
	for v := range p.vectors {
		p.writer.load(memory{base: "BX", offset: (n*p.vectors + v) * p.bytes}, p.rowOfB(v))
	}
}

// addRow adds the products of an element of A to the sums of row i.
func (p *product) addRow(i int, element string) {
	a := p.elementOfA(i)
	p.loadFactor(element, a)
	for v := range p.vectors {
		p.fma(p.rowOfB(v), a, p.sum(i, v))
	}
}
