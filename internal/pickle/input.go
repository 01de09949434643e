package pickle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// byte reads the next byte.
func (d *Decoder) byte() (byte, error) {
	b, err := d.in.ReadByte()
	if err != nil {
		return 0, unexpected(err)
	}
	d.offset++
	return b, nil
}

// unexpected names the end of the input where a pickle has none.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// uint reads an unsigned number of 1, 2, 4 or 8 bytes, little endian.
func (d *Decoder) uint(size int) (n uint64, err error) {
	b, err := d.in.Peek(size)
	if err != nil {
		d.offset += int64(len(b))
		return 0, unexpected(err)
	}
	for i, c := range b {
		n |= uint64(c) << (8 * i)
	}
	d.skip(size)
	return n, nil
}

// skip passes bytes that were peeked at.
func (d *Decoder) skip(n int) {
	_, _ = d.in.Discard(n) // they are in the buffer
	d.offset += int64(n)
}

// length reads a length of so many bytes.
func (d *Decoder) length(size int) (int64, error) {
	n, err := d.uint(size)
	if err == nil && n > math.MaxInt64 {
		err = fmt.Errorf("a length of %d bytes", n)
	}
	return int64(n), err
}

// bytes reads a length of so many bytes and then the bytes themselves.
func (d *Decoder) bytes(lengthSize int) ([]byte, error) {
	n, err := d.length(lengthSize)
	if err != nil {
		return nil, err
	}
	return d.take(n)
}

// take reads n bytes.
func (d *Decoder) take(n int64) ([]byte, error) {
	if err := d.Charge(n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	got, err := io.ReadFull(d.in, b)
	d.offset += int64(got)
	return b, unexpected(err)
}

// view is bytes for a short look: what it returns is good until the next byte is read.
func (d *Decoder) view(lengthSize int) ([]byte, error) {
	n, err := d.length(lengthSize)
	switch {
	case err != nil:
		return nil, err
	case n > int64(d.in.Size()):
		return d.take(n)
	}
	b, err := d.in.Peek(int(n))
	d.skip(len(b))
	return b, unexpected(err)
}

// text reads a string.
func (d *Decoder) text(lengthSize int) (string, error) {
	b, err := d.view(lengthSize)
	if err == nil && !utf8.Valid(b) {
		err = errUTF8
	}
	if err == nil {
		err = d.Charge(int64(len(b)))
	}
	if err != nil {
		return "", err
	}
	return string(b), nil
}

var errUTF8 = errors.New("text that is not UTF-8")

// maxLine is how long the name of a module or a global may be.
const maxLine = 1024

// line reads up to the end of the line.
func (d *Decoder) line() (string, error) {
	b, err := d.in.ReadSlice('\n')
	d.offset += int64(len(b))
	switch {
	case err == bufio.ErrBufferFull || len(b) > maxLine:
		return "", &LimitError{"bytes in a name", maxLine}
	case err != nil:
		return "", unexpected(err)
	case !utf8.Valid(b):
		return "", errUTF8
	}
	if err := d.Charge(int64(len(b))); err != nil {
		return "", err
	}
	return string(b[:len(b)-1]), nil
}
