package checkpoint

import "encoding/binary"

// swapBytes turns the order of the bytes of each element around.
func swapBytes(memory []byte, size int) {
	switch size {
	case 2:
		for i := 0; i+2 <= len(memory); i += 2 {
			memory[i], memory[i+1] = memory[i+1], memory[i]
		}
	case 4:
		for i := 0; i+4 <= len(memory); i += 4 {
			b := memory[i : i+4]
			binary.LittleEndian.PutUint32(b, binary.BigEndian.Uint32(b))
		}
	case 8:
		for i := 0; i+8 <= len(memory); i += 8 {
			b := memory[i : i+8]
			binary.LittleEndian.PutUint64(b, binary.BigEndian.Uint64(b))
		}
	}
}

// makeBool makes every byte 0 or 1, which is all that Go's bool may be.
func makeBool(memory []byte) {
	for i, b := range memory {
		if b > 1 {
			memory[i] = 1
		}
	}
}
