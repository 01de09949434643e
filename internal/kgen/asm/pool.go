package asm

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// A pool holds a file's constants, each once, at a multiple of its size.
type pool struct {
	data []byte
	at   map[string]int
}

const poolName = "constants<>"

// Words returns the address of the constant that is made of 4-byte words.
func (p *pool) Words(words ...uint32) string {
	return fmt.Sprintf("%s+%d(SB)", poolName, p.place(bytesOf(words)))
}

func bytesOf(words []uint32) []byte {
	var c []byte
	for _, w := range words {
		c = binary.LittleEndian.AppendUint32(c, w)
	}
	return c
}

func (p *pool) place(c []byte) int {
	if p.at == nil {
		p.at = map[string]int{}
	}
	at, ok := p.at[string(c)]
	if !ok {
		for len(p.data)%len(c) != 0 {
			p.data = append(p.data, 0)
		}
		at = len(p.data)
		p.data = append(p.data, c...)
		p.at[string(c)] = at
	}
	return at
}

func (p *pool) text() []byte {
	if len(p.data) == 0 {
		return nil
	}
	for len(p.data)%8 != 0 {
		p.data = append(p.data, 0)
	}
	var out bytes.Buffer
	out.WriteString("\n")
	for at := 0; at < len(p.data); at += 8 {
		fmt.Fprintf(&out, "DATA %s+%d(SB)/8, $%#016x\n", poolName, at, binary.LittleEndian.Uint64(p.data[at:]))
	}
	fmt.Fprintf(&out, "GLOBL %s(SB), RODATA|NOPTR, $%d\n", poolName, len(p.data))
	return out.Bytes()
}
