package mpi

import (
	"fmt"
	"math"
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
	if err := m.memory.ready(); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	if err := c.meet(); err != nil {
		return err
	}
	c.world.enter(&m.memory)
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
func (c *Comm) AllReduce(memory Memory, t Type, op Op) *Request {
	return c.allReduce(memory, t, op, most)
}

func (c *Comm) allReduce(memory Memory, t Type, op Op, most int) *Request {
	lib, n := c.world.lib, memory.bytes()/sizes[t]
	return c.run((&motion{
		name: "MPI_Allreduce", begin: lib.Iallreduce, wait: lib.Allreduce, memory: buffers{memory}, bytes: memory.bytes(), count: n,
		divided: divided{most, sizes[t], func(args *[mostArgs]uintptr, bytes, n uintptr) {
			args[1], args[2] = args[1]+bytes, n
		}},
	}).of(lib.inPlace, memory.address(), uintptr(n), lib.types[t], lib.ops[op]))
}

// Reduce fills out on the root with the elements of all processes' in, joined. There it is other memory than in, because MPICH 4.0 reads from MPI_IN_PLACE where the root is not process 0.
func (c *Comm) Reduce(out, in Memory, t Type, op Op, root int) *Request {
	lib, n := c.world.lib, in.bytes()/sizes[t]
	return c.run((&motion{
		name: "MPI_Reduce", begin: lib.Ireduce, wait: lib.Reduce, memory: buffers{out, in}, bytes: in.bytes(), count: n,
		divided: divided{most, sizes[t], func(args *[mostArgs]uintptr, bytes, n uintptr) {
			args[0], args[2] = args[0]+bytes, n
			if args[1] != 0 {
				args[1] += bytes
			}
		}},
	}).of(in.address(), out.address(), uintptr(n), lib.types[t], lib.ops[op], uintptr(root)))
}

// Broadcast fills the memory of all processes with the root's.
func (c *Comm) Broadcast(memory Memory, root int) *Request {
	lib := c.world.lib
	return c.run((&motion{
		name: "MPI_Bcast", begin: lib.Ibcast, wait: lib.Bcast, memory: buffers{memory}, bytes: memory.bytes(), count: memory.bytes(),
		divided: divided{most, 1, func(args *[mostArgs]uintptr, bytes, n uintptr) {
			args[0], args[1] = args[0]+bytes, n
		}},
	}).of(memory.address(), uintptr(memory.bytes()), lib.types[Uint8], uintptr(root)))
}

// ReduceScatter fills out with this process's part of all processes' in, joined: in has a part for each, as large as out.
func (c *Comm) ReduceScatter(out, in Memory, t Type, op Op) *Request {
	lib, n := c.world.lib, out.bytes()/sizes[t]
	return c.run((&motion{
		name: "MPI_Reduce_scatter_block", begin: lib.IreduceScatter, wait: lib.ReduceScatterBlock, memory: buffers{out, in}, bytes: out.bytes(), count: n,
	}).of(in.address(), out.address(), uintptr(n), lib.types[t], lib.ops[op]))
}

// AllGather fills out with the in of all processes, one behind the other.
func (c *Comm) AllGather(out, in Memory) *Request { return c.run(c.allGather(out, in)) }

func (c *Comm) allGather(out, in Memory) *motion {
	lib := c.world.lib
	n, t := lib.units(in.bytes())
	return (&motion{
		name: "MPI_Allgather", begin: lib.Iallgather, wait: lib.Allgather, memory: buffers{out, in}, bytes: in.bytes(), count: int(n),
	}).of(in.address(), n, t, out.address(), n, t)
}

// AllToAll sends each process its part of in, and fills out with the parts that the others send.
func (c *Comm) AllToAll(out, in Memory) *Request { return c.run(c.allToAll(out, in)) }

func (c *Comm) allToAll(out, in Memory) *motion {
	lib := c.world.lib
	n, t := lib.units(in.bytes() / c.Size)
	return (&motion{
		name: "MPI_Alltoall", begin: lib.Ialltoall, wait: lib.Alltoall, memory: buffers{out, in}, bytes: in.bytes() / c.Size, count: int(n),
	}).of(in.address(), n, t, out.address(), n, t)
}

// Blocking makes calls that wait, on the world's worker.
type Blocking struct{ comm *Comm }

// AllGather is Comm's.
func (b Blocking) AllGather(out, in Memory) error { return b.comm.wait(b.comm.allGather(out, in)) }

// AllToAll is Comm's.
func (b Blocking) AllToAll(out, in Memory) error { return b.comm.wait(b.comm.allToAll(out, in)) }

// Gather is Comm's.
func (b Blocking) Gather(out, in Memory, root int) error {
	return b.comm.wait(b.comm.gather(out, in, root))
}

// Gather fills out on the root with the in of all processes, one behind the other.
func (c *Comm) Gather(out, in Memory, root int) *Request { return c.run(c.gather(out, in, root)) }

func (c *Comm) gather(out, in Memory, root int) *motion {
	lib := c.world.lib
	n, t := lib.units(in.bytes())
	return (&motion{
		name: "MPI_Gather", begin: lib.Igather, wait: lib.Gather, memory: buffers{out, in}, bytes: in.bytes(), count: int(n),
	}).of(in.address(), n, t, out.address(), n, t, uintptr(root))
}

// Scatter fills out with this process's part of the root's in.
func (c *Comm) Scatter(out, in Memory, root int) *Request {
	lib := c.world.lib
	n, t := lib.units(out.bytes())
	return c.run((&motion{
		name: "MPI_Scatter", begin: lib.Iscatter, wait: lib.Scatter, memory: buffers{out, in}, bytes: out.bytes(), count: int(n),
	}).of(in.address(), n, t, out.address(), n, t, uintptr(root)))
}

// Barrier ends when all processes have called it.
func (c *Comm) Barrier() *Request {
	return c.begin("MPI_Barrier", c.world.lib.Ibarrier, buffers{}, uintptr(c.direct))
}

// Send sends memory to a process, whose Receive gives the same tag.
func (c *Comm) Send(memory Memory, to, tag int) *Request {
	n, t := c.world.lib.units(memory.bytes())
	if n > math.MaxInt32 {
		return c.refused("MPI_Send", tooMany(int(n)))
	}
	return c.begin("MPI_Send", c.world.lib.Isend, buffers{memory}, memory.address(), n, t, uintptr(to), uintptr(tag), uintptr(c.direct))
}

// Receive fills memory with what a process sends. A message of another length is an error.
func (c *Comm) Receive(memory Memory, from, tag int) *Request {
	n, t := c.world.lib.units(memory.bytes())
	if n > math.MaxInt32 {
		return c.refused("MPI_Recv", tooMany(int(n)))
	}
	r := c.begin("MPI_Recv", c.world.lib.Irecv, buffers{memory}, memory.address(), n, t, uintptr(from), uintptr(tag), uintptr(c.direct))
	r.want = memory.bytes()
	return r
}

// Tell sends memory to a process, which may Hear it or not.
func (c *Comm) Tell(memory Memory, to int) *Request {
	n, t := c.world.lib.units(memory.bytes())
	return c.begin("MPI_Send", c.world.lib.Isend, buffers{memory}, memory.address(), n, t, uintptr(to), 0, uintptr(c.bulk)) // whose other calls are collective
}

// Hear fills memory with what a process tells, if it does: what has not come until the communicator ends is given up.
func (c *Comm) Hear(memory Memory, from int) *Request {
	w := c.world
	n, t := w.lib.units(memory.bytes())
	r := c.begin("MPI_Recv", w.lib.Irecv, buffers{memory}, memory.address(), n, t, uintptr(from), 0, uintptr(c.bulk))
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.hears = true; c.deaf && r.handle != nil {
		r.cancel()
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
