package mpi

import "cresset/internal/dl"

// A Joiner joins parts of equal length, in their order, into dst, which may be the first of them.
type Joiner func(dst []byte, parts [][]byte)

// AllReduceBy is AllReduce for elements of so many bytes that the library does not know: each process joins a part of all processes' elements,
// so that all get the same bits.
func (c *Comm) AllReduceBy(memory []byte, size int, join Joiner) *Request {
	return c.enqueue("MPI_Alltoall", func() error {
		part := (len(memory)/size + c.Size - 1) / c.Size * size
		in := make([]byte, part*c.Size)
		copy(in, memory)
		mine := make([]byte, part)
		if err := c.joined(mine, in, join); err != nil {
			return err
		}
		lib := c.world.lib
		n, t := lib.units(part)
		err := c.blocking("MPI_Allgather", lib.Allgather, dl.AddressOf(mine), n, t, dl.AddressOf(in), n, t, uintptr(c.bulk))
		copy(memory, in)
		return err
	})
}

// ReduceScatterBy is ReduceScatter in the way of AllReduceBy.
func (c *Comm) ReduceScatterBy(out, in []byte, join Joiner) *Request {
	return c.enqueue("MPI_Alltoall", func() error { return c.joined(out, in, join) })
}

// joined fills out with this process's part of all processes' in, joined. It runs on the worker.
func (c *Comm) joined(out, in []byte, join Joiner) error {
	theirs := make([]byte, len(in))
	if err := c.wait(c.allToAll(theirs, in)); err != nil {
		return err
	}
	parts := make([][]byte, c.Size)
	for i := range parts {
		parts[i] = theirs[i*len(out) : (i+1)*len(out)]
	}
	join(out, parts)
	return nil
}
