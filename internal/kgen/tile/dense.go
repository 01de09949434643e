package tile

import "fmt"

// Tiles whose A and B are packed have a loop of their own under AVX2, four steps long, whose addresses are constants from two registers: a fifth fewer
// instructions than the loop for any strides, of which a core runs short where another thread shares it. mm/512 takes a tenth less time there.

// denseUnroll is how many steps of k it takes at a time.
const denseUnroll = 4

// denseTile computes the tile where A and B are packed, and falls through where they are not. Kernels of the tiles that large products are cut into have it.
func (p *product) denseTile() {
	if p.taps || p.vectors != 2 || p.rows < 4 {
		return
	}
	for _, c := range []struct {
		register string
		bytes    int
	}{{"R10", p.size}, {"R12", p.rows * p.size}, {"R13", p.vectors * p.bytes}} {
		p.compare(c.register, fmt.Sprintf("$%d", c.bytes))
		p.jump("NE", "apart")
	}
	p.dense = true
	p.tile("Dense")
	p.dense = false
	p.label("apart")
}

// denseSteps adds the products of CX steps, at least one.
func (p *product) denseSteps(label string) {
	move := func(steps int) {
		p.add(fmt.Sprintf("$%d", steps*p.rows*p.size), "SI")
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

// denseStep adds the products of the nth step from where SI and BX point.
func (p *product) denseStep(n int) {
	p.loadPanel(n)
	for i := range p.rows {
		p.addRow(i, memory{base: "SI", offset: (n*p.rows + i) * p.size}.String())
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
