package ncclsim

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"cresset/dtype"
	"cresset/internal/nccl"
)

// operation is one rank's call of an operation of all.
type operation struct {
	kind       string // "" for none
	from, to   uintptr
	count      int
	typ        nccl.Type
	op         nccl.Op
	root       int
	color, key int
}

// reduction returns ncclAllReduce, or ncclReduceScatter.
func (l *library) reduction(kind string) func(args ...uintptr) nccl.Result {
	return l.ofStream(6, 5, func(c *comm, a []uintptr) nccl.Result {
		return c.meet(operation{kind: kind, from: a[0], to: a[1], count: int(a[2]), typ: nccl.Type(a[3]), op: nccl.Op(a[4])})
	})
}

// meet notes a rank's call. The last of all does the work.
func (c *comm) meet(o operation) nccl.Result {
	w := c.world
	if c.state != nccl.Success || w.calls[c.rank].kind != "" {
		return invalidUsage
	}
	w.calls[c.rank], c.state = o, nccl.InProgress
	if slices.ContainsFunc(w.calls, func(o operation) bool { return o.kind == "" }) {
		return nccl.InProgress
	}
	calls, result := w.calls, nccl.Success
	w.calls = make([]operation, w.size)
	if slices.ContainsFunc(calls, func(other operation) bool {
		return other.kind != o.kind || other.count != o.count || other.typ != o.typ || other.op != o.op
	}) {
		result = invalidUsage // where NCCL would hang, or mix memory up
	} else {
		w.work(calls)
	}
	for _, rank := range w.ranks {
		rank.state = result
	}
	return result
}

// work does what all ranks have called.
func (w *world) work(calls []operation) {
	m, first := &w.lib.memory, calls[0]
	size := typeBytes[first.typ]
	switch first.kind {
	case "split":
		w.parts(calls)
	case "broadcast":
		b := m.read(calls[first.root].from, first.count)
		for _, o := range calls {
			m.write(o.to, b)
		}
	case "all_gather":
		var all []byte
		for _, o := range calls {
			all = append(all, m.read(o.from, o.count)...)
		}
		for _, o := range calls {
			m.write(o.to, all)
		}
	case "all_reduce":
		b := m.joined(calls, first.count)
		for _, o := range calls {
			m.write(o.to, b)
		}
	case "reduce":
		m.write(calls[first.root].to, m.joined(calls, first.count))
	case "reduce_scatter":
		b := m.joined(calls, first.count*w.size)
		for rank, o := range calls {
			m.write(o.to, b[rank*first.count*size:][:first.count*size])
		}
	}
}

// parts makes a communicator for the ranks of each color.
func (w *world) parts(calls []operation) {
	ranks := map[int][]int{}
	for rank, o := range calls {
		ranks[o.color] = append(ranks[o.color], rank)
	}
	for _, members := range ranks {
		slices.SortStableFunc(members, func(a, b int) int { return cmp.Compare(calls[a].key, calls[b].key) })
		part := newWorld(w.lib, len(members))
		for rank, old := range members {
			part.enter(rank, calls[old].to)
		}
	}
}

// typeBytes are the bytes of elements.
var typeBytes = map[nccl.Type]int{
	nccl.Int8: 1, nccl.Uint8: 1, nccl.Int32: 4, nccl.Int64: 8, nccl.Float16: 2, nccl.BFloat16: 2, nccl.Float32: 4, nccl.Float64: 8,
}

// joined returns the elements of all ranks, joined in float64 or int64, in which the numbers of tests are exact.
func (m *memory) joined(calls []operation, count int) []byte {
	t, op := calls[0].typ, calls[0].op
	size := typeBytes[t]
	out := make([]byte, count*size)
	for rank, o := range calls {
		b := m.read(o.from, count*size)
		for i := range count {
			at := out[i*size:][:size]
			v := get(t, b[i*size:])
			if rank > 0 {
				v = join(op, get(t, at), v)
			}
			if op == nccl.Avg && rank == len(calls)-1 {
				v /= float64(len(calls))
			}
			put(t, at, v)
		}
	}
	return out
}

func join(op nccl.Op, a, b float64) float64 {
	switch op {
	case nccl.Product:
		return a * b
	case nccl.Max:
		return math.Max(a, b)
	case nccl.Min:
		return math.Min(a, b)
	}
	return a + b
}

func get(t nccl.Type, b []byte) float64 {
	le := binary.LittleEndian
	switch t {
	case nccl.Int8:
		return float64(int8(b[0]))
	case nccl.Uint8:
		return float64(b[0])
	case nccl.Int32:
		return float64(int32(le.Uint32(b)))
	case nccl.Int64:
		return float64(int64(le.Uint64(b)))
	case nccl.Float16:
		return float64(dtype.F16(le.Uint16(b)).Float32())
	case nccl.BFloat16:
		return float64(dtype.BF16(le.Uint16(b)).Float32())
	case nccl.Float32:
		return float64(math.Float32frombits(le.Uint32(b)))
	}
	return math.Float64frombits(le.Uint64(b))
}

func put(t nccl.Type, b []byte, v float64) {
	le := binary.LittleEndian
	switch t {
	case nccl.Int8, nccl.Uint8:
		b[0] = byte(int64(v))
	case nccl.Int32:
		le.PutUint32(b, uint32(int64(v)))
	case nccl.Int64:
		le.PutUint64(b, uint64(int64(v)))
	case nccl.Float16:
		le.PutUint16(b, uint16(dtype.ToF16(float32(v))))
	case nccl.BFloat16:
		le.PutUint16(b, uint16(dtype.ToBF16(float32(v))))
	case nccl.Float32:
		le.PutUint32(b, math.Float32bits(float32(v)))
	default:
		le.PutUint64(b, math.Float64bits(v))
	}
}
