package pickle

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// integer pushes a number of 1 or 2 bytes, or a signed one of 4.
func (d *Decoder) integer(size int) error {
	n, err := d.uint(size)
	if err != nil {
		return err
	}
	if size == 4 {
		return d.push(int64(int32(n)), boxBytes)
	}
	if n < 256 {
		return d.push(int64(n), 0) // Go has these in boxes
	}
	return d.push(int64(n), boxBytes)
}

// maxLong is how many bytes an integer may have.
const maxLong = 1024

// long pushes a signed number in two's complement, little endian, whose length takes so many bytes.
func (d *Decoder) long(lengthSize int) error {
	b, err := d.view(lengthSize)
	if err != nil {
		return err
	}
	if len(b) > maxLong {
		return &LimitError{"bytes in an integer", maxLong}
	}
	slices.Reverse(b)
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	bytes := 160 + 4*int64(len(b)) // with what big keeps in reserve
	if v.IsInt64() {
		return d.push(v.Int64(), bytes)
	}
	return d.push(v, bytes)
}

func (d *Decoder) float() error {
	b, err := d.uint(8)
	if err != nil {
		return err
	}
	return d.push(math.Float64frombits(bits.ReverseBytes64(b)), boxBytes)
}

func (d *Decoder) pushText(lengthSize int) error {
	s, err := d.text(lengthSize)
	if err != nil {
		return err
	}
	return d.push(s, boxBytes)
}

func (d *Decoder) pushByteArray() error {
	b, err := d.bytes(8)
	if err != nil {
		return err
	}
	return d.push(ByteArray(b), boxBytes)
}

func (d *Decoder) pushBytes(lengthSize int) error {
	b, err := d.bytes(lengthSize)
	if err != nil {
		return err
	}
	return d.push(b, boxBytes)
}
