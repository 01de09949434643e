package dist

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"cresset/tensor"
)

// A kind is what a call does, under PyTorch's name.
type kind string

const (
	allReduce     kind = "all_reduce"
	broadcast     kind = "broadcast"
	allGather     kind = "all_gather"
	reduce        kind = "reduce"
	reduceScatter kind = "reduce_scatter"
	allToAll      kind = "all_to_all"
	gather        kind = "gather"
	scatter       kind = "scatter"
	barrier       kind = "barrier"
	split         kind = "split"
	send          kind = "send"
	receive       kind = "recv"
	initialize    kind = "MPI_Init"
	leaving       kind = "close"
)

// A call is one rank's part of an operation. Its tensors are contiguous and where its engine wants them, on the CPU or a GPU, and belong to no gradient.
type call struct {
	kind    kind
	op      ReduceOp
	peer    int            // the root of those that have one, or whom a message goes to or comes from
	tag     int            // of a message
	in, out *tensor.Tensor // in is nil for barrier, split, receive and Scatter beside the root; out for barrier, split, send, and Gather and Reduce beside the root
	from    *callers       // where the program called, nil where nobody has looked,
	site    string         // or what another process has said of that
	held    held           // what the engine of MPI waits for, within the call to be one allocation with it
}

// reduces reports whether the ranks' elements are joined.
func (c *call) reduces() bool {
	return c.kind == allReduce || c.kind == reduce || c.kind == reduceScatter
}

// inPlace reports whether results take the place of what is given.
func (c *call) inPlace() bool { return c.kind == allReduce || c.kind == reduce || c.kind == broadcast }

// String says what all ranks must agree on.
func (c *call) String() string {
	var b strings.Builder
	b.WriteString(string(c.kind))
	if c.reduces() {
		fmt.Fprintf(&b, " %s", c.op)
	}
	part := c.in
	if c.kind == scatter {
		part = c.out
	}
	if part != nil {
		fmt.Fprintf(&b, " of %d elements of %s", part.NumEl(), part.DType())
	}
	switch c.kind {
	case broadcast, reduce, gather, scatter:
		fmt.Fprintf(&b, " with root %d", c.peer)
	}
	return b.String()
}

// An engine carries out the calls of one rank of a group. Calls of collective operations are made in the order in which they begin.
type engine interface {
	// begin starts a call.
	begin(c *call) pending
	// split returns an engine for the ranks that give the same color, in the order of their keys, and the caller's rank and their number. It waits as a pending does.
	split(ctx context.Context, limit time.Duration, color, key int) (e engine, rank, size int, err error)
	// abort ends the job.
	abort(code int)
	// close waits until all ranks have closed.
	close(ctx context.Context) error
}

// A pending is a call that an engine works at.
type pending interface {
	// Wait waits until the call has ended, but neither longer than limit nor than ctx.
	Wait(ctx context.Context, limit time.Duration) error
}

// latecomers is a pending that knows which ranks keep it waiting.
type latecomers interface{ missing() []int }

// forever is the limit of a wait that has none.
const forever = time.Duration(math.MaxInt64)

// failed is the pending of a call that cannot begin.
type failed struct{ err error }

func (f failed) Wait(context.Context, time.Duration) error { return f.err }

func (failed) ended() bool { return true }

// callers are the innermost calls above a method of this package. Only who has to name a place looks them up: that takes longer than a short message.
type callers [6]uintptr

// callSite returns what calls the caller.
func callSite() *callers {
	c := new(callers)
	runtime.Callers(3, c[:])
	return c
}

// place returns the file and line of the program that called into this package.
func (c *call) place() string {
	if c.site != "" {
		return c.site
	}
	if c.from == nil { // an operation of the engine's own
		return "cresset/dist"
	}
	frames := runtime.CallersFrames(c.from[:])
	for {
		f, more := frames.Next()
		if !isEntry(f.Function) || !more {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
}

// isEntry reports whether a function is one that the program calls, or a part of one.
func isEntry(function string) bool {
	return slices.ContainsFunc([]string{"(*Group)", "(*Work)", "Init"}, func(name string) bool { return strings.HasPrefix(function, "cresset/dist."+name) })
}
