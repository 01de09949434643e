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
	name        string // of the call
	begin, wait function
	memory      buffers
	bytes       int // what decides how it is made: the same on all processes
	count       int // of elements
	args        [mostArgs]uintptr
	given       int // how many arguments there are, up to the communicator
	divided         // where calls can take a part of the elements each
}

// divided is how a call's arguments are those of a part of the elements.
type divided struct {
	most, size int // elements of a call, and an element's bytes
	part       func(args *[mostArgs]uintptr, bytes, n uintptr)
}

// of sets the arguments of the motion's calls, or of the first.
func (m *motion) of(args ...uintptr) *motion {
	m.given = copy(m.args[:], args)
	return m
}

// tooLong returns an error where a call cannot count the elements, nil where it can.
func (m *motion) tooLong() error {
	if m.part == nil && m.count > math.MaxInt32 {
		return tooMany(m.count)
	}
	return nil
}

func tooMany(count int) error {
	return fmt.Errorf("%d elements are more than one call takes", count)
}

// run starts the operation.
func (c *Comm) run(m *motion) *Request {
	if err := m.tooLong(); err != nil {
		return c.refused(m.name, err)
	}
	if m.bytes > small {
		return c.hand(*m)
	}
	m.args[m.given] = uintptr(c.direct)
	return c.begin(m.name, m.begin, m.memory, m.args[:m.given+1]...)
}

// hand gives the operation to the worker. It is apart because its job is on the heap, where a short message would pay for it too.
func (c *Comm) hand(m motion) *Request {
	return c.enqueue(m.name, func() error { return c.wait(&m) })
}

// wait makes the operation's calls that wait, on the worker.
func (c *Comm) wait(m *motion) error {
	if err := m.tooLong(); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	if err := c.meet(); err != nil {
		return err
	}
	m.args[m.given] = uintptr(c.bulk)
	if m.part == nil {
		return c.blocking(m.name, m.wait, m.args[:m.given+1]...)
	}
	for first := 0; first < m.count || first == 0; first += m.most {
		args := m.args
		m.part(&args, uintptr(first*m.size), uintptr(min(m.count-first, m.most)))
		if err := c.blocking(m.name, m.wait, args[:m.given+1]...); err != nil {
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
	lib, n := c.world.lib, len(memory)/sizes[t]
	return c.run((&motion{
		name: "MPI_Allreduce", begin: lib.Iallreduce, wait: lib.Allreduce, memory: buffers{memory}, bytes: len(memory), count: n,
		divided: divided{most, sizes[t], func(args *[mostArgs]uintptr, bytes, n uintptr) {
			args[1], args[2] = args[1]+bytes, n
		}},
	}).of(lib.inPlace, dl.AddressOf(memory), uintptr(n), lib.types[t], lib.ops[op]))
}

// Reduce replaces the elements of the root's memory by those of all processes, joined. It gives a copy of them, because MPICH 4.0 reads from MPI_IN_PLACE where the root is not process 0.
func (c *Comm) Reduce(memory []byte, t Type, op Op, root int) *Request {
	lib, n := c.world.lib, len(memory)/sizes[t]
	m := &motion{
		name: "MPI_Reduce", begin: lib.Ireduce, wait: lib.Reduce, memory: buffers{memory}, bytes: len(memory), count: n,
		divided: divided{most, sizes[t], func(args *[mostArgs]uintptr, bytes, n uintptr) {
			args[0], args[2] = args[0]+bytes, n
			if args[1] != 0 {
				args[1] += bytes
			}
		}},
	}
	result := uintptr(0)
	if c.Rank == root {
		result = dl.AddressOf(memory)
		memory = slices.Clone(memory)
		m.memory[1] = memory
	}
	return c.run(m.of(dl.AddressOf(memory), result, uintptr(n), lib.types[t], lib.ops[op], uintptr(root)))
}

// Broadcast fills the memory of all processes with the root's.
func (c *Comm) Broadcast(memory []byte, root int) *Request {
	lib := c.world.lib
	return c.run((&motion{
		name: "MPI_Bcast", begin: lib.Ibcast, wait: lib.Bcast, memory: buffers{memory}, bytes: len(memory), count: len(memory),
		divided: divided{most, 1, func(args *[mostArgs]uintptr, bytes, n uintptr) {
			args[0], args[1] = args[0]+bytes, n
		}},
	}).of(dl.AddressOf(memory), uintptr(len(memory)), lib.types[Uint8], uintptr(root)))
}

// ReduceScatter fills out with this process's part of all processes' in, joined: in has a part for each, as large as out.
func (c *Comm) ReduceScatter(out, in []byte, t Type, op Op) *Request {
	lib, n := c.world.lib, len(out)/sizes[t]
	return c.run((&motion{
		name: "MPI_Reduce_scatter_block", begin: lib.IreduceScatter, wait: lib.ReduceScatterBlock, memory: buffers{out, in}, bytes: len(out), count: n,
	}).of(dl.AddressOf(in), dl.AddressOf(out), uintptr(n), lib.types[t], lib.ops[op]))
}

// AllGather fills out with the in of all processes, one behind the other.
func (c *Comm) AllGather(out, in []byte) *Request { return c.run(c.allGather(out, in)) }

func (c *Comm) allGather(out, in []byte) *motion {
	lib := c.world.lib
	n, t := lib.units(len(in))
	return (&motion{
		name: "MPI_Allgather", begin: lib.Iallgather, wait: lib.Allgather, memory: buffers{out, in}, bytes: len(in), count: int(n),
	}).of(dl.AddressOf(in), n, t, dl.AddressOf(out), n, t)
}

// AllToAll sends each process its part of in, and fills out with the parts that the others send.
func (c *Comm) AllToAll(out, in []byte) *Request { return c.run(c.allToAll(out, in)) }

func (c *Comm) allToAll(out, in []byte) *motion {
	lib := c.world.lib
	n, t := lib.units(len(in) / c.Size)
	return (&motion{
		name: "MPI_Alltoall", begin: lib.Ialltoall, wait: lib.Alltoall, memory: buffers{out, in}, bytes: len(in) / c.Size, count: int(n),
	}).of(dl.AddressOf(in), n, t, dl.AddressOf(out), n, t)
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
	return (&motion{
		name: "MPI_Gather", begin: lib.Igather, wait: lib.Gather, memory: buffers{out, in}, bytes: len(in), count: int(n),
	}).of(dl.AddressOf(in), n, t, dl.AddressOf(out), n, t, uintptr(root))
}

// Scatter fills out with this process's part of the root's in.
func (c *Comm) Scatter(out, in []byte, root int) *Request {
	lib := c.world.lib
	n, t := lib.units(len(out))
	return c.run((&motion{
		name: "MPI_Scatter", begin: lib.Iscatter, wait: lib.Scatter, memory: buffers{out, in}, bytes: len(out), count: int(n),
	}).of(dl.AddressOf(in), n, t, dl.AddressOf(out), n, t, uintptr(root)))
}

// Barrier ends when all processes have called it.
func (c *Comm) Barrier() *Request {
	return c.begin("MPI_Barrier", c.world.lib.Ibarrier, buffers{}, uintptr(c.direct))
}

// Send sends memory to a process, whose Receive gives the same tag.
func (c *Comm) Send(memory []byte, to, tag int) *Request {
	n, t := c.world.lib.units(len(memory))
	if n > math.MaxInt32 {
		return c.refused("MPI_Send", tooMany(int(n)))
	}
	return c.begin("MPI_Send", c.world.lib.Isend, buffers{memory}, dl.AddressOf(memory), n, t, uintptr(to), uintptr(tag), uintptr(c.direct))
}

// Receive fills memory with what a process sends. A message of another length is an error.
func (c *Comm) Receive(memory []byte, from, tag int) *Request {
	n, t := c.world.lib.units(len(memory))
	if n > math.MaxInt32 {
		return c.refused("MPI_Recv", tooMany(int(n)))
	}
	r := c.begin("MPI_Recv", c.world.lib.Irecv, buffers{memory}, dl.AddressOf(memory), n, t, uintptr(from), uintptr(tag), uintptr(c.direct))
	r.want = len(memory)
	return r
}

// Tell sends memory to a process, which may Hear it or not.
func (c *Comm) Tell(memory []byte, to int) *Request {
	n, t := c.world.lib.units(len(memory))
	return c.begin("MPI_Send", c.world.lib.Isend, buffers{memory}, dl.AddressOf(memory), n, t, uintptr(to), 0, uintptr(c.bulk)) // whose other calls are collective
}

// Hear fills memory with what a process tells, if it does: what has not come until the communicator ends is given up.
func (c *Comm) Hear(memory []byte, from int) *Request {
	w := c.world
	n, t := w.lib.units(len(memory))
	r := c.begin("MPI_Recv", w.lib.Irecv, buffers{memory}, dl.AddressOf(memory), n, t, uintptr(from), 0, uintptr(c.bulk))
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.hears = true; c.deaf && r.handle != nil {
		w.lib.Cancel.call(r.handle.Address(0))
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
