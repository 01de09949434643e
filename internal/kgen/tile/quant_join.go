package tile

import "fmt"

// joinFloat adds the lanes of so many registers, from the rth on, in pairs, those of the second half to those of the first, until one is left.
func (n *nibbles) joinFloat(r, vectors int) {
	for count := vectors / 2; count > 0; count /= 2 {
		for i := range count {
			n.plus(r+count+i, r+i)
		}
	}
	spare := n.work(0)
	if n.arm {
		for _, shift := range []string{"$8", "$4"} {
			n.op("VEXT", shift, vector(r), vector(r), vector(spare))
			n.plus(spare, r)
		}
		return
	}
	half := func(prefix, extract string) {
		if extract != "" {
			n.op(extract, "$1", map[string]string{"Y": "Z", "X": "Y"}[prefix]+fmt.Sprint(r), fmt.Sprint(prefix, spare))
		}
		n.op("VADDPS", fmt.Sprint(prefix, spare), fmt.Sprint(prefix, r), fmt.Sprint(prefix, r))
	}
	if n.masks {
		half("Y", "VEXTRACTF64X4")
	}
	half("X", "VEXTRACTF128")
	for _, order := range []string{"$0x4e", "$0xb1"} {
		n.op("VPERMILPS", order, fmt.Sprint("X", r), fmt.Sprint("X", spare))
		half("X", "")
	}
}
