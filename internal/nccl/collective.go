package nccl

// Type is a dtype of the library.
type Type uint8

// The dtypes.
const (
	Int8     Type = 0
	Uint8    Type = 1
	Int32    Type = 2
	Int64    Type = 4
	Float16  Type = 6
	Float32  Type = 7
	Float64  Type = 8
	BFloat16 Type = 9
)

// Op is how the library joins elements.
type Op uint8

// The operations.
const (
	Sum     Op = 0
	Product Op = 1
	Max     Op = 2
	Min     Op = 3
	Avg     Op = 4
)

// An Issue is the issuing of operations to a stream of the GPU that is current on the thread. Addresses are of that GPU's memory, and each method returns when the library
// has taken the operation up.
type Issue struct {
	Comm   *Comm
	Stream uintptr
	Wait   Patience
}

// AllReduce joins count elements of all ranks; from and to may be the same.
func (s Issue) AllReduce(to, from uintptr, count int, t Type, op Op) error {
	return s.Comm.call("ncclAllReduce", s.Wait, func(h uintptr) Result {
		return s.Comm.api.AllReduce(from, to, uintptr(count), uintptr(t), uintptr(op), h, s.Stream)
	})
}

// Reduce joins count elements of all ranks for the root, on which from and to may be the same; elsewhere nothing is written.
func (s Issue) Reduce(to, from uintptr, count int, t Type, op Op, root int) error {
	return s.Comm.call("ncclReduce", s.Wait, func(h uintptr) Result {
		return s.Comm.api.Reduce(from, to, uintptr(count), uintptr(t), uintptr(op), uintptr(root), h, s.Stream)
	})
}

// ReduceScatter joins the elements of all ranks, count for each rank, which gets those of its number.
func (s Issue) ReduceScatter(to, from uintptr, count int, t Type, op Op) error {
	return s.Comm.call("ncclReduceScatter", s.Wait, func(h uintptr) Result {
		return s.Comm.api.ReduceScatter(from, to, uintptr(count), uintptr(t), uintptr(op), h, s.Stream)
	})
}

// Broadcast copies bytes of the root to all ranks; from and to may be the same.
func (s Issue) Broadcast(to, from uintptr, bytes, root int) error {
	return s.Comm.call("ncclBroadcast", s.Wait, func(h uintptr) Result {
		return s.Comm.api.Broadcast(from, to, uintptr(bytes), uintptr(Uint8), uintptr(root), h, s.Stream)
	})
}

// AllGather copies so many bytes of each rank to all, one behind the other.
func (s Issue) AllGather(to, from uintptr, bytes int) error {
	return s.Comm.call("ncclAllGather", s.Wait, func(h uintptr) Result {
		return s.Comm.api.AllGather(from, to, uintptr(bytes), uintptr(Uint8), h, s.Stream)
	})
}

// A Message is bytes that this rank sends to a peer, or receives from it.
type Message struct {
	Peer    int
	At      uintptr
	Bytes   int
	Receive bool
}

// Exchange sends and receives messages at once, those to this rank itself too.
func (s Issue) Exchange(messages ...Message) error {
	return s.Comm.call("ncclGroupEnd", s.Wait, func(h uintptr) Result {
		api := s.Comm.api
		r := api.GroupStart()
		for _, m := range messages {
			move := api.Send
			if m.Receive {
				move = api.Receive
			}
			if r == Success {
				r = taken(move(m.At, uintptr(m.Bytes), uintptr(Uint8), uintptr(m.Peer), h, s.Stream))
			}
		}
		if end := api.GroupEnd(); r == Success {
			r = end
		}
		return r
	})
}

// taken is Success for a call within a group that has begun.
func taken(r Result) Result {
	if r == InProgress {
		return Success
	}
	return r
}
