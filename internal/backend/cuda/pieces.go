package cuda

import (
	"encoding/binary"
	"errors"
	"runtime"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
	"cresset/internal/profile"
)

var (
	copyPieces = sized("copy_pieces", dtype.Uint8)
	addPieces  = typedForFloats("add_pieces")
)

// CopyPieces copies from[i] into to[i], which has as many bytes, for all i by one launch. No piece may overlap another.
func (d *Device) CopyPieces(to, from []backend.Piece) error {
	defer profile.Begin(profile.Op, op.Broadcast.String()).End()
	list := make([]kernels.Piece, len(to))
	for i := range to {
		target, err := d.span(to[i].Buf, to[i].Offset, to[i].Bytes)
		if err != nil {
			return err
		}
		source, err := d.span(from[i].Buf, from[i].Offset, to[i].Bytes)
		if err != nil {
			return err
		}
		list[i] = kernels.Piece{To: uint64(target), From: uint64(source), Bytes: uint64(to[i].Bytes)}
	}
	if err := errors.Join(d.reads(buffersOf(from)...), d.writes(buffersOf(to)...)); err != nil {
		return err
	}
	err := d.work(copyPieces, list, nil)
	d.written(buffersOf(to)...)
	runtime.KeepAlive(to)
	runtime.KeepAlive(from)
	return err
}

// AddPieces adds to each piece, for all of them by one launch, what lies in each of the terms at the given offset: first that
// of terms[0], then of terms[1], … . The elements are of dt, which is a float dtype.
func (d *Device) AddPieces(dt dtype.DType, to []backend.Piece, offsets []int, terms []backend.Buffer) error {
	defer profile.Begin(profile.Op, op.Broadcast.String()).End()
	list := make([]kernels.Piece, len(to))
	for i := range to {
		target, err := d.span(to[i].Buf, to[i].Offset, to[i].Bytes)
		if err != nil {
			return err
		}
		list[i] = kernels.Piece{To: uint64(target), From: uint64(offsets[i]), Bytes: uint64(to[i].Bytes)}
	}
	bases := make([]uint64, len(terms))
	for i, t := range terms {
		base, err := d.span(t, 0, t.Size())
		if err != nil {
			return err
		}
		bases[i] = uint64(base)
	}
	if err := errors.Join(d.reads(terms...), d.writes(buffersOf(to)...)); err != nil {
		return err
	}
	err := d.work(addPieces[dt], list, bases)
	d.written(buffersOf(to)...)
	runtime.KeepAlive(to)
	runtime.KeepAlive(terms)
	return err
}

// buffersOf returns the buffers in which pieces lie.
func buffersOf(pieces []backend.Piece) []backend.Buffer {
	buffers := make([]backend.Buffer, len(pieces))
	for i := range pieces {
		buffers[i] = pieces[i].Buf
	}
	return buffers
}

// work copies a list of pieces to the device and launches a kernel over it.
func (d *Device) work(k kernelID, list []kernels.Piece, bases []uint64) error {
	if len(list) == 0 {
		return nil
	}
	words := make([]byte, 0, 24*len(list)+8*len(bases))
	largest := uint64(0)
	for _, p := range list {
		words = binary.LittleEndian.AppendUint64(words, p.To)
		words = binary.LittleEndian.AppendUint64(words, p.From)
		words = binary.LittleEndian.AppendUint64(words, p.Bytes)
		largest = max(largest, p.Bytes)
	}
	for _, b := range bases {
		words = binary.LittleEndian.AppendUint64(words, b)
	}
	s := scratch{device: d}
	defer s.free()
	table, err := s.table(words)
	if err != nil {
		return err
	}
	wave, err := d.wave(k)
	if err != nil {
		return err
	}
	g := kernels.PieceGrid(len(list), largest, wave)
	p := kernels.Pieces{List: table.ptr, Bases: table.ptr + uint64(24*len(list)), Count: uint32(len(list)), Terms: uint32(len(bases))}
	return launch(d, k, g, &p)
}

// Slice returns part of a buffer's memory as a buffer that keeps the whole alive. Freeing it does nothing.
func (*Device) Slice(b backend.Buffer, offset, bytes int) backend.Buffer {
	whole := b.(*Buffer)
	return &Buffer{ptr: whole.ptr + uint64(offset), bytes: bytes, whole: whole}
}
