package tile

// Digits of x times half bytes of a weight, of one row: by dot products of bytes, or where there are none by words, as AVX2 multiplies bytes.

// byWords reports whether products of bytes come as words, in pairs. These become whole numbers of 32 bits by a product with 1, or with 256 instead of a shift.
func (n *nibbles) byWords() bool { return !n.masks && !n.arm && !n.vnni }

// fillWords fills the registers with 1 and 256.
func (n *nibbles) fillWords() {
	n.fill("$0x00010001", n.order())
	n.fill("$0x01000100", n.shifted())
}

// addDigits sets a register to the products of all digits of x, whose lowest are at an address.
func (n *nibbles) addDigits(x memory, low, high, total int) {
	if !n.byWords() {
		n.zero(total)
	}
	for d := int4Digits - 1; d >= 0; d-- {
		even, odd := x, x
		even.offset, odd.offset = x.offset+128*d, x.offset+128*d+64
		if n.byWords() {
			n.addDigitWords(even, odd, low, high, total, d == int4Digits-1)
		} else {
			n.addDigit(even, odd, low, high, total)
		}
		if d > 0 && (d < int4Digits-1 || !n.byWords()) {
			n.shiftLeft(total, 8)
		}
	}
}

// addDigitWords adds the products of a digit, or sets the register to 256 times those of the first one.
func (n *nibbles) addDigitWords(even, odd memory, low, high, total int, first bool) {
	t := n.work(4)
	n.op("VPMADDUBSW", even.String(), n.reg(low), n.reg(t))
	n.op("VPMADDUBSW", odd.String(), n.reg(high), n.reg(t+1))
	n.op("VPADDW", n.reg(t), n.reg(t+1), n.reg(t))
	if first {
		n.op("VPMADDWD", n.reg(n.shifted()), n.reg(t), n.reg(total))
		return
	}
	n.op("VPMADDWD", n.reg(n.order()), n.reg(t), n.reg(t))
	n.op("VPADDD", n.reg(t), n.reg(total), n.reg(total))
}
