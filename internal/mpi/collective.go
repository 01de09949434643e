package mpi

import (
	"fmt"
	"math"
	"slices"

	"cresset/internal/dl"
)

// small is how many bytes a message has at most that is sent by a call that returns at once. Longer ones are the worker's, by calls that wait: Open MPI's are
// 1.4 to 5 times as fast from 64 KiB on.
const small = 16 << 10

// most is how many elements a call takes at most: a count is an int of C.
const most = 1 << 30

// A motion is a collective operation.
type motion struct {
	name        string // of the call, without MPI_
	begin, wait func(args ...uintptr) Status
	memory      [][]byte
	bytes       int         // what decides how it is made: the same on all processes
	count       int         // of elements in a call, where they cannot be divided among several
	args        [][]uintptr // of each call, up to the communicator
}

// run starts the operation.
func (c *Comm) run(m *motion) *Request {
	if m.count > math.MaxInt32 {
		return c.refused("MPI_"+m.name, tooMany(m.count))
	}
	if m.bytes <= small {
		return c.begin("MPI_"+m.name, m.begin, m.memory, append(m.args[0], uintptr(c.direct))...)
	}
	return c.enqueue("MPI_"+m.name, func() error { return c.wait(m) })
}

func tooMany(count int) error {
	return fmt.Errorf("%d elements are more than one call takes", count)
}

// wait makes the operation's calls that wait, on the worker.
func (c *Comm) wait(m *motion) error {
	if m.count > math.MaxInt32 {
		return fmt.Errorf("MPI_%s: %w", m.name, tooMany(m.count))
	}
	if err := c.meet(); err != nil {
		return err
	}
	for _, args := range m.args {
		if err := c.blocking("MPI_"+m.name, m.wait, append(args, uintptr(c.bulk))...); err != nil {
			return err
		}
	}
	return nil
}

// AllReduce replaces the elements of memory by those of all processes, joined.
func (c *Comm) AllReduce(memory []byte, t Type, op Op) *Request {
	return c.allReduce(memory, t, op, most)
}

func (c *Comm) allReduce(memory []byte, t Type, op Op, most int) *Request {
	lib := c.world.lib
	m := &motion{name: "Allreduce", begin: lib.Iallreduce, wait: lib.Allreduce, memory: [][]byte{memory}, bytes: len(memory)}
	m.pieces(memory, sizes[t], most, func(at uintptr, n int) []uintptr {
		return []uintptr{lib.inPlace, at, uintptr(n), lib.types[t], lib.ops[op]}
	})
	return c.run(m)
}

// pieces fills in the arguments of a call for each so many elements of memory.
func (m *motion) pieces(memory []byte, size, most int, args func(at uintptr, n int) []uintptr) {
	for first, n := 0, len(memory)/size; first < n || first == 0; first += most {
		m.args = append(m.args, args(dl.AddressOf(memory)+uintptr(first*size), min(n-first, most)))
	}
}

// Reduce replaces the elements of the root's memory by those of all processes, joined. It gives a copy of them, because MPICH 4.0 reads from MPI_IN_PLACE where the root is not process 0.
func (c *Comm) Reduce(memory []byte, t Type, op Op, root int) *Request {
	lib := c.world.lib
	m := &motion{name: "Reduce", begin: lib.Ireduce, wait: lib.Reduce, memory: [][]byte{memory}, bytes: len(memory)}
	to := uintptr(0)
	if c.Rank == root {
		given := slices.Clone(memory)
		m.memory = append(m.memory, given)
		to, memory = dl.AddressOf(memory), given
	}
	first := dl.AddressOf(memory)
	m.pieces(memory, sizes[t], most, func(at uintptr, n int) []uintptr {
		result := to
		if to != 0 {
			result += at - first
		}
		return []uintptr{at, result, uintptr(n), lib.types[t], lib.ops[op], uintptr(root)}
	})
	return c.run(m)
}

// Broadcast fills the memory of all processes with the root's.
func (c *Comm) Broadcast(memory []byte, root int) *Request {
	lib := c.world.lib
	m := &motion{name: "Bcast", begin: lib.Ibcast, wait: lib.Bcast, memory: [][]byte{memory}, bytes: len(memory)}
	m.pieces(memory, 1, most, func(at uintptr, n int) []uintptr {
		return []uintptr{at, uintptr(n), lib.types[Uint8], uintptr(root)}
	})
	return c.run(m)
}

// ReduceScatter fills out with this process's part of all processes' in, joined: in has a part for each, as large as out.
func (c *Comm) ReduceScatter(out, in []byte, t Type, op Op) *Request {
	lib := c.world.lib
	return c.run(&motion{
		name: "Reduce_scatter_block", begin: lib.IreduceScatter, wait: lib.ReduceScatterBlock, memory: [][]byte{out, in}, bytes: len(out), count: len(out) / sizes[t],
		args: [][]uintptr{{dl.AddressOf(in), dl.AddressOf(out), uintptr(len(out) / sizes[t]), lib.types[t], lib.ops[op]}},
	})
}

// AllGather fills out with the in of all processes, one behind the other.
func (c *Comm) AllGather(out, in []byte) *Request { return c.run(c.allGather(out, in)) }

func (c *Comm) allGather(out, in []byte) *motion {
	lib := c.world.lib
	n, t := lib.units(len(in))
	return &motion{
		name: "Allgather", begin: lib.Iallgather, wait: lib.Allgather, memory: [][]byte{out, in}, bytes: len(in), count: int(n),
		args: [][]uintptr{{dl.AddressOf(in), n, t, dl.AddressOf(out), n, t}},
	}
}

// AllToAll sends each process its part of in, and fills out with the parts that the others send.
func (c *Comm) AllToAll(out, in []byte) *Request { return c.run(c.allToAll(out, in)) }

func (c *Comm) allToAll(out, in []byte) *motion {
	lib := c.world.lib
	n, t := lib.units(len(in) / c.Size)
	return &motion{
		name: "Alltoall", begin: lib.Ialltoall, wait: lib.Alltoall, memory: [][]byte{out, in}, bytes: len(in) / c.Size, count: int(n),
		args: [][]uintptr{{dl.AddressOf(in), n, t, dl.AddressOf(out), n, t}},
	}
}

// Blocking makes calls that wait, on the world's worker.
type Blocking struct{ comm *Comm }

// AllGather is Comm's.
func (b Blocking) AllGather(out, in []byte) error { return b.comm.wait(b.comm.allGather(out, in)) }

// AllToAll is Comm's.
func (b Blocking) AllToAll(out, in []byte) error { return b.comm.wait(b.comm.allToAll(out, in)) }

// Gather is Comm's.
func (b Blocking) Gather(out, in []byte, root int) error {
	return b.comm.wait(b.comm.gather(out, in, root))
}

// Gather fills out on the root with the in of all processes, one behind the other.
func (c *Comm) Gather(out, in []byte, root int) *Request { return c.run(c.gather(out, in, root)) }

func (c *Comm) gather(out, in []byte, root int) *motion {
	lib := c.world.lib
	n, t := lib.units(len(in))
	return &motion{
		name: "Gather", begin: lib.Igather, wait: lib.Gather, memory: [][]byte{out, in}, bytes: len(in), count: int(n),
		args: [][]uintptr{{dl.AddressOf(in), n, t, dl.AddressOf(out), n, t, uintptr(root)}},
	}
}

// Scatter fills out with this process's part of the root's in.
func (c *Comm) Scatter(out, in []byte, root int) *Request {
	lib := c.world.lib
	n, t := lib.units(len(out))
	return c.run(&motion{
		name: "Scatter", begin: lib.Iscatter, wait: lib.Scatter, memory: [][]byte{out, in}, bytes: len(out), count: int(n),
		args: [][]uintptr{{dl.AddressOf(in), n, t, dl.AddressOf(out), n, t, uintptr(root)}},
	})
}

// Barrier ends when all processes have called it.
func (c *Comm) Barrier() *Request {
	return c.begin("MPI_Barrier", c.world.lib.Ibarrier, nil, uintptr(c.direct))
}

// Send sends memory to a process, whose Receive gives the same tag.
func (c *Comm) Send(memory []byte, to, tag int) *Request {
	n, t := c.world.lib.units(len(memory))
	if n > math.MaxInt32 {
		return c.refused("MPI_Send", tooMany(int(n)))
	}
	return c.begin("MPI_Send", c.world.lib.Isend, [][]byte{memory}, dl.AddressOf(memory), n, t, uintptr(to), uintptr(tag), uintptr(c.direct))
}

// Receive fills memory with what a process sends. A message of another length is an error.
func (c *Comm) Receive(memory []byte, from, tag int) *Request {
	n, t := c.world.lib.units(len(memory))
	if n > math.MaxInt32 {
		return c.refused("MPI_Recv", tooMany(int(n)))
	}
	r := c.begin("MPI_Recv", c.world.lib.Irecv, [][]byte{memory}, dl.AddressOf(memory), n, t, uintptr(from), uintptr(tag), uintptr(c.direct))
	r.want = len(memory)
	return r
}

// Tell sends memory to a process, which may Hear it or not.
func (c *Comm) Tell(memory []byte, to int) *Request {
	n, t := c.world.lib.units(len(memory))
	return c.begin("MPI_Send", c.world.lib.Isend, [][]byte{memory}, dl.AddressOf(memory), n, t, uintptr(to), 0, uintptr(c.bulk)) // whose other calls are collective
}

// Hear fills memory with what a process tells, if it does: what has not come until the communicator ends is given up.
func (c *Comm) Hear(memory []byte, from int) *Request {
	w := c.world
	n, t := w.lib.units(len(memory))
	r := c.begin("MPI_Recv", w.lib.Irecv, [][]byte{memory}, dl.AddressOf(memory), n, t, uintptr(from), 0, uintptr(c.bulk))
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.hears = true; c.deaf && r.handle != nil {
		w.lib.Cancel(r.handle.Address(0))
	}
	return r
}

// units returns how many elements of which type so many bytes are: fewer than the bytes, where they are many, so that a count holds up to 16 GiB.
func (l *library) units(bytes int) (n, t uintptr) {
	if bytes%8 == 0 {
		return uintptr(bytes / 8), l.types[Int64]
	}
	return uintptr(bytes), l.types[Uint8]
}
