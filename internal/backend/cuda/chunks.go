package cuda

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// chunkList is a list of chunks of parameters, which lies on the device for as long as no address changes: a step whose
// gradients lie where they did copies nothing there.
type chunkList struct {
	device *Device
	table  *Buffer // the list; nil where there is none yet
	words  []byte  // what the table holds; none after a failure
	next   []byte  // the list of the step under way
}

// NewUpdates returns a place for steps of the same parameters, over and over.
func (d *Device) NewUpdates() backend.Updates { return &chunkList{device: d} }

// The kernels that update many parameters. Half types have them too, which round as steps of wide copies do.
var sgdAll, adamAll = typedForFloats("sgd_all"), typedForFloats("adam_all")

// typedForFloats returns the kernels of that name for all float dtypes.
func typedForFloats(name string) (ids [dtype.Count]kernelID) {
	for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		ids[dt] = typed(name, dt)
	}
	return ids
}

// Run runs calls by one launch where they are several whose memory is in row-major order and apart, else one by one.
func (u *chunkList) Run(calls []*backend.Call) (int, error) {
	if c := calls[0]; len(calls) > 1 && u.device.Has(c.Op, c.DType) && !slices.ContainsFunc(calls, scattered) {
		if done, err := u.runTogether(calls); done || err != nil {
			if err != nil {
				return 0, err
			}
			return len(calls), nil
		}
	}
	for i, c := range calls {
		if err := u.device.Run(c); err != nil {
			return i, err
		}
	}
	return len(calls), nil
}

// scattered reports whether an operand of the call must be copied for kernels.
func scattered(c *backend.Call) bool {
	other := func(v backend.View) bool { return v.IsConst() || !v.Layout.IsContiguous() }
	return slices.ContainsFunc(c.Out(), other) || slices.ContainsFunc(c.In(), other)
}

// runTogether is runAll, which streams that use the same memory wait for.
func (u *chunkList) runTogether(calls []*backend.Call) (done bool, err error) {
	for _, c := range calls {
		if err := u.device.meet(c); err != nil {
			return false, err
		}
	}
	done, err = u.runAll(calls)
	for _, c := range calls {
		u.device.part(c.Out())
	}
	return done, err
}

// runAll runs the calls by one launch; it does nothing, and says so, where the memory of one overlaps another's.
func (u *chunkList) runAll(calls []*backend.Call) (done bool, err error) {
	d, c := u.device, calls[0]
	if e := d.failure.Load(); e != nil {
		return false, e
	}
	u.list(calls)
	if graph, err := d.enter(calls[0]); err != nil || graph != nil {
		if err != nil || overlap(calls) {
			return false, err
		}
		return u.capture(graph, calls)
	}
	if !bytes.Equal(u.next, u.words) {
		if overlap(calls) {
			return false, nil
		}
		if err := u.upload(); err != nil {
			return false, err
		}
	}
	count := len(u.words) / chunkBytes
	if count == 0 {
		return true, nil
	}
	d.lastOp.Store(uint32(c.Op))
	d.trace.begin(calls...)
	if err := u.launch(calls, u.table, count); err != nil {
		return false, err
	}
	if d.blocking {
		err = d.waitFor(d.lane)
	}
	return err == nil, err
}

// capture is runAll in a graph, which has a list of its own: that of the steps between replays is another one.
func (u *chunkList) capture(graph *capture, calls []*backend.Call) (done bool, err error) {
	count := len(u.next) / chunkBytes
	if count == 0 {
		return true, nil
	}
	graph.uses(calls...)
	table, err := graph.constant(u.next)
	if err != nil {
		return false, err
	}
	first := calls[0]
	if first.Stepper != nil {
		own := first.Stepper
		first.Stepper = steppersOf(calls)
		defer func() { first.Stepper = own }()
	}
	u.device.lastOp.Store(uint32(first.Op))
	return true, u.launch(calls, table, count)
}

// launch issues the kernel over the chunks of a table, with the parameters of the first call.
func (u *chunkList) launch(calls []*backend.Call, table *Buffer, count int) error {
	c := calls[0]
	d, g, skip := u.device, kernels.ChunkGrid(count), skipOf(c)
	defer runtime.KeepAlive(table)
	switch c.Op {
	case op.GradNorm:
		return d.gradNorms(c, table, count-len(calls), len(calls))
	case op.ClipGrad:
		return d.clipGrads(c, table, count)
	}
	switch c.Params.(type) {
	case op.SGD:
		return launchStep(d, c, sgdAll[c.DType], g, &sgdParams, func(p *kernels.SGD, o op.SGD) {
			*p = sgdOf(o)
			p.N, p.P, p.Skip = uint64(count), table.ptr, skip
		})
	case op.Adam:
		return launchStep(d, c, adamAll[c.DType], g, &adamParams, func(p *kernels.Adam, o op.Adam) {
			*p = adamOf(o)
			p.N, p.P, p.Skip = uint64(count), table.ptr, skip
		})
	case op.Update:
		return launchStep(d, c, rows[c.Op][c.DType].kernel, g, &updateParams, func(p *kernels.Update, o op.Update) {
			*p = updateOf(o)
			p.Count, p.List, p.Skip = uint64(count), table.ptr, skip
		})
	}
	p := unscaleParams.take()
	defer unscaleParams.give(p)
	*p = unscaleOf(c)
	p.Count, p.List = uint64(count), table.ptr
	return launch(d, rows[c.Op][c.DType].kernel, g, p)
}

const chunkBytes = 6 * 8 // of a kernels.Chunk

// chunkLength is into how long chunks many parameters of so many elements in all are cut.
func (d *Device) chunkLength(elements uint64) uint64 {
	const threads = 256 // of a block
	return kernels.ChunkLength(elements, d.properties.Multiprocessors*(d.properties.MaxThreadsPerSM/threads))
}

// list makes u.next the chunks of the calls: a block of threads updates one at a time, so large parameters are cut. For norms there follows,
// for each gradient, which chunks are its and where its norm goes.
func (u *chunkList) list(calls []*backend.Call) {
	total, size := 0, uint64(calls[0].DType.Size())
	for _, c := range calls {
		total += c.In()[0].Layout.Size()
	}
	longest := u.device.chunkLength(uint64(total))
	u.next = u.next[:0]
	var norms []byte
	for _, c := range calls {
		var state [4]uint64 // the parameter and what is kept of it
		for i := range c.Out() {
			state[i] = address(&c.Out()[i])
		}
		grad, n := address(&c.In()[0]), uint64(c.In()[0].Layout.Size())
		if c.Op != op.GradNorm {
			u.next = appendChunks(u.next, n, longest, size, state, grad)
			continue
		}
		first := len(u.next) / chunkBytes
		u.next = appendChunks(u.next, n, longest, size, [4]uint64{}, grad)
		parts := len(u.next)/chunkBytes - first
		norms = appendChunk(norms, uint64(parts), [...]uint64{state[0], uint64(first), 0, 0, 0})
	}
	u.next = append(u.next, norms...)
}

// appendChunks appends the chunks of n elements of a size, with the addresses of their first; 0 is none.
func appendChunks(list []byte, n, longest, size uint64, state [4]uint64, grad uint64) []byte {
	for at := uint64(0); at < n; at += longest {
		words := [...]uint64{state[0], state[1], state[2], state[3], grad}
		for i := range words {
			if words[i] != 0 {
				words[i] += at * size
			}
		}
		list = appendChunk(list, min(longest, n-at), words)
	}
	return list
}

// appendChunk appends a kernels.Chunk.
func appendChunk(list []byte, n uint64, words [5]uint64) []byte {
	list = binary.LittleEndian.AppendUint64(list, n)
	for _, w := range words {
		list = binary.LittleEndian.AppendUint64(list, w)
	}
	return list
}

// steppers are those of calls that one launch makes.
type steppers []backend.Stepper

func steppersOf(calls []*backend.Call) steppers {
	all := make(steppers, len(calls))
	for i, c := range calls {
		all[i] = c.Stepper
	}
	return all
}

// Redo returns the Params of all steps, which must be alike.
func (all steppers) Redo() (params any, err error) {
	for i, s := range all {
		own, err := s.Redo()
		if i == 0 {
			params = own
		}
		switch {
		case err != nil:
			all[:i].Undo()
			return nil, err
		case own != params:
			all[:i+1].Undo()
			return nil, &ReplayError{"parameters that were updated alike are not any more; capture anew"}
		}
	}
	return params, nil
}

// Undo undoes all steps.
func (all steppers) Undo() {
	for _, s := range all {
		s.Undo()
	}
}

// upload copies u.next to the device, behind the work that reads the list before it.
func (u *chunkList) upload() error {
	u.words = u.words[:0]
	if len(u.next) == 0 {
		return nil
	}
	if u.table == nil || u.table.bytes < len(u.next) {
		b, err := u.device.alloc.alloc(len(u.next), u.device.lane)
		if err != nil {
			return err
		}
		if u.table != nil {
			u.device.alloc.release(u.table)
		}
		u.table = b
	}
	if err := u.device.CopyIn(u.table, 0, u.next); err != nil {
		return err
	}
	u.words, u.next = u.next, u.words
	return nil
}

// overlap reports whether the calls could not run in any order: one writes what another reads or writes.
func overlap(calls []*backend.Call) bool {
	type span struct {
		from, to uint64
		written  bool
	}
	var spans []span
	add := func(views []backend.View, written bool) {
		for i := range views {
			if n := views[i].Layout.Size() * views[i].DType.Size(); n > 0 {
				from := address(&views[i])
				spans = append(spans, span{from, from + uint64(n), written})
			}
		}
	}
	for _, c := range calls {
		in := c.In()
		if address(&in[0]) == address(&c.Out()[0]) { // a gradient that is changed in place
			in = in[1:]
		}
		add(c.Out(), true)
		add(in, false)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var end, writtenEnd uint64
	for _, s := range spans {
		if s.from < writtenEnd || s.written && s.from < end {
			return true
		}
		end = max(end, s.to)
		if s.written {
			writtenEnd = max(writtenEnd, s.to)
		}
	}
	return false
}
