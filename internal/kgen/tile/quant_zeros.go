package tile

import "fmt"

// zeroPoints subtracts what zero points other than 8 make, sixteen groups at a time: group g is lane g modulo 16.
func (n *nibbles) zeroPoints() {
	n.arg("z", "BX")
	n.jumpIfZero("BX", "sum")
	n.arg("s", "DX")
	n.arg("sums", "SI")
	n.arg("groups", "CX")
	n.arg("restG", "R15")
	n.arg("shift", "AX")
	shift := n.work(4)
	if n.arm { // a shift to the right is one to the left by less than nothing
		n.op("NEG", armNames["AX"], armNames["AX"])
		n.op("VDUP", armNames["AX"], fmt.Sprintf("V%d.S4", shift))
	}
	for i := range n.rows {
		if n.arm {
			break
		}
		n.op("VMOVD", "AX", fmt.Sprint("X", shift+i))
		if n.rows > 1 {
			n.op("ADDQ", n.field("stepShift"), "AX")
		}
	}
	if n.masks {
		n.op("MOVL", "$-1", "AX")
		n.op("KMOVW", "AX", "K3")
	}
	n.jumpIfZero("CX", "last")
	n.label("groups")
	for i := range n.rows {
		for part := range n.parts() {
			n.addZeros(i, part, shift+i)
		}
	}
	n.add("$64", "BX")
	n.add("$64", "DX")
	n.add(fmt.Sprintf("$%d", 64*n.cols), "SI")
	n.repeat("CX", "groups")
	n.label("last")
	n.jumpIfZero("R15", "shift")
	if n.masks {
		n.op("KMOVW", "R15", "K3")
	} else {
		n.copyLast()
	}
	n.clear("R15")
	n.clear("CX")
	n.increment("CX")
	n.goTo("groups")
	n.label("shift")
	n.nextZeros()
}

// copyLast copies the last scales and words, which are not sixteen, to where there are zeros behind them.
func (n *nibbles) copyLast() {
	n.arg("lastS", "R8")
	n.arg("lastZ", "R9")
	n.label("copy")
	for _, pair := range [][2]string{{"DX", "R8"}, {"BX", "R9"}} {
		n.whole("MOVL", "MOVWU", n.address(memory{base: pair[0]}), "AX")
		n.whole("MOVL", "MOVW", "AX", n.address(memory{base: pair[1]}))
		n.add("$4", pair[0])
		n.add("$4", pair[1])
	}
	n.repeat("R15", "copy")
	n.arg("lastS", "DX")
	n.arg("lastZ", "BX")
}

// nextZeros moves on to the zero points of the rows that come next, after eight rows in other words.
func (n *nibbles) nextZeros() {
	n.arg("shift", "AX")
	n.addArg("timeShift", "AX")
	n.compare("AX", "$32")
	n.jump("LT", "shifted")
	n.arg("rowZ", "AX")
	n.addToArg("AX", "z")
	n.clear("AX")
	n.label("shifted")
	n.whole("MOVQ", "MOVD", "AX", n.field("shift"))
}

func (n *nibbles) addZeros(i, part, shift int) {
	zero, scale := n.work(0), n.work(1)
	at := func(base string) memory { return memory{base: base, offset: part * n.bytes} }
	if n.arm {
		s4 := func(r int) string { return fmt.Sprintf("V%d.S4", r) }
		n.load(at("BX"), zero)
		n.fn.Word(0x6ea04400|uint32(shift)<<16|uint32(zero)<<5|uint32(zero), "USHL V%d.4S, V%d.4S, V%d.4S", zero, zero, shift)
		n.op("VAND", vector(n.fifteen()), vector(zero), vector(zero))
		n.op("VSUB", s4(n.eight()), s4(zero), s4(zero))
		n.toFloat(zero)
		n.load(at("DX"), scale)
		n.three(neonFMUL, scale, scale, zero)
		n.load(at("SI"), zero)
		n.three(neonCode{"FMLS", 0x4ea0cc00}, part, scale, zero)
		return
	}
	and := "VPAND"
	if n.masks {
		and = "VPANDD"
		n.op("VMOVDQU32.Z", at("BX").String(), "K3", n.reg(zero))
		n.op("VMOVUPS.Z", n.scale(i, 0).String(), "K3", n.reg(scale))
	} else {
		n.op("VMOVUPS", at("BX").String(), n.reg(zero))
		n.op("VMOVUPS", n.scale(i, part*n.bytes).String(), n.reg(scale))
	}
	n.op("VPSRLD", fmt.Sprint("X", shift), n.reg(zero), n.reg(zero))
	n.op(and, n.reg(n.fifteen()), n.reg(zero), n.reg(zero))
	n.op("VPSUBD", n.reg(n.eight()), n.reg(zero), n.reg(zero))
	n.toFloat(zero)
	n.op("VMULPS", n.reg(zero), n.reg(scale), n.reg(scale))
	for c := range n.cols {
		n.op("VFNMADD231PS", memory{base: "SI", offset: (c + part) * n.bytes}.String(), n.reg(scale), n.reg((i*n.cols+c)*n.parts()+part))
	}
}
