package dist

import (
	"context"
	"time"

	"cresset/dtype"
	"cresset/internal/mpi"
	"cresset/tensor"
)

// message is the engine of ranks that are processes of an MPI job.
type message struct {
	comm  *mpi.Comm
	world *mpi.World
}

func (m *message) split(ctx context.Context, limit time.Duration, color, key int) (engine, int, int, error) {
	part, err := m.comm.Split(ctx, limit, color, key)
	if err != nil {
		return nil, 0, 0, err
	}
	return &message{part, m.world}, part.Rank, part.Size, nil
}

func (m *message) abort(code int) { m.world.Abort(code) }

func (m *message) close(ctx context.Context) error {
	if m.comm != m.world.Comm {
		return m.comm.Close(ctx, forever) // which ctx ends
	}
	return m.world.Close(ctx)
}

// mpiTypes are the dtypes that MPI reduces, or moves as what it reduces.
var mpiTypes = [...]mpi.Type{
	dtype.Bool: mpi.Uint8, dtype.Uint8: mpi.Uint8, dtype.Int8: mpi.Int8, dtype.Int16: mpi.Int16, dtype.Int32: mpi.Int32, dtype.Int64: mpi.Int64,
	dtype.Float32: mpi.Float32, dtype.Float64: mpi.Float64,
}

var mpiOps = [...]mpi.Op{Sum: mpi.Sum, Avg: mpi.Sum, Product: mpi.Product, Min: mpi.Min, Max: mpi.Max}

// operation returns MPI's operation for a call's elements.
func (c *call) operation(dt dtype.DType) mpi.Op {
	if dt == dtype.Bool {
		return mpiOps[c.op.ofBools()]
	}
	return mpiOps[c.op]
}

func (m *message) begin(c *call) pending {
	h := &c.held
	if c.kind == reduce && c.out != nil {
		c.in = c.in.Clone() // MPI's Reduce reads other memory than it writes
	}
	out, in, err := h.hold(c)
	if err != nil {
		return failed{err}
	}
	switch c.kind {
	case allReduce, reduce, reduceScatter:
		h.Request = m.reduce(c, in, out)
		if c.op == Avg && c.out != nil && !c.joinedHere() {
			h.then = func() { average(c.out, m.comm.Size) }
		}
	case broadcast:
		h.Request = m.comm.Broadcast(out, c.peer)
	case allGather:
		h.Request = m.comm.AllGather(out, in)
	case allToAll:
		h.Request = m.comm.AllToAll(out, in)
	case gather:
		h.Request = m.comm.Gather(out, in, c.peer)
	case scatter:
		h.Request = m.comm.Scatter(out, in, c.peer)
	case send:
		if c.tag == rollTag {
			h.Request = m.comm.Tell(in, c.peer)
			break
		}
		h.Request = m.comm.Send(in, c.peer, c.tag)
	case receive:
		if c.tag == rollTag {
			h.Request = m.comm.Hear(out, c.peer)
			break
		}
		h.Request = m.comm.Receive(out, c.peer, c.tag)
	default:
		h.Request = m.comm.Barrier()
	}
	h.Keep(h)
	return h
}

// joinedHere reports whether elements are joined by ReduceOp.join, because MPI does not know them, or may lose a NaN.
func (c *call) joinedHere() bool {
	dt := c.in.DType()
	return dt == dtype.Float16 || dt == dtype.BFloat16 || dt.IsFloat() && (c.op == Min || c.op == Max)
}

func (m *message) reduce(c *call, in, out mpi.Memory) *mpi.Request {
	dt := c.in.DType()
	if c.joinedHere() {
		return m.comm.Do("MPI_Alltoall", func(b mpi.Blocking) (err error) {
			if fault := tensor.Try(func() { err = c.reduceHere(b, m.comm.Size) }); fault != nil {
				return fault
			}
			return err
		})
	}
	switch t := mpiTypes[dt]; c.kind {
	case allReduce:
		return m.comm.AllReduce(out, t, c.operation(dt))
	case reduce:
		return m.comm.Reduce(out, in, t, c.operation(dt), c.peer)
	default:
		return m.comm.ReduceScatter(out, in, t, c.operation(dt))
	}
}

// reduceHere has each rank join a part of all ranks' elements, and send it to those that have the result.
func (c *call) reduceHere(b mpi.Blocking, size int) error {
	each, here := (c.in.NumEl()+size-1)/size, tensor.On(c.in.Device()).As(c.in.DType())
	whole, theirs := here.Zeros(size*each), here.Empty(size, each)
	whole.Narrow(0, 0, c.in.NumEl()).CopyInPlace(c.in.View(-1))
	err := between(whole, theirs, func(from, to mpi.Memory) error { return b.AllToAll(to, from) })
	if err != nil {
		return err
	}
	parts := make([]*tensor.Tensor, size)
	for i := range parts {
		parts[i] = part(theirs, i, size)
	}
	if c.kind == reduceScatter {
		c.op.join(c.out, parts)
		return nil
	}
	mine := here.Empty(each)
	c.op.join(mine, parts)
	send := b.AllGather
	if c.kind == reduce {
		send = func(out, in mpi.Memory) error { return b.Gather(out, in, c.peer) }
	}
	if err := between(mine, whole, func(from, to mpi.Memory) error { return send(to, from) }); err != nil || c.out == nil {
		return err
	}
	c.out.View(-1).CopyInPlace(whole.Narrow(0, 0, c.out.NumEl()))
	return nil
}

// between calls move with the memory of two tensors.
func between(from, to *tensor.Tensor, move func(from, to mpi.Memory) error) error {
	var h held
	target, source, err := h.hold(&call{in: from, out: to})
	if err != nil {
		return err
	}
	defer h.release()
	return move(source, target)
}
