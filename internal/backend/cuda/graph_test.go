package cuda

import (
	"bytes"
	"errors"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/dl"
	"cresset/internal/dl/dltest"
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// doubling is a graph of y = x + x and, through memory of its own, z = y + x, of four float32.
type doubling struct {
	d       *Device
	x, y, z backend.Buffer
}

func newDoubling(t testing.TB, d *Device) *doubling {
	t.Helper()
	x, err := d.Alloc(16)
	if err != nil {
		t.Fatal(err)
	}
	return &doubling{d: d, x: x}
}

// add issues out = a + b.
func (g *doubling) add(out, a, b backend.Buffer) error {
	l := layout.Contiguous(layout.Shape{4})
	c := backend.NewCall(op.Add, dtype.Float32)
	defer c.Release()
	*c.AddOut() = backend.View{Buf: out, Layout: &l, DType: dtype.Float32}
	*c.AddIn() = backend.View{Buf: a, Layout: &l, DType: dtype.Float32}
	*c.AddIn() = backend.View{Buf: b, Layout: &l, DType: dtype.Float32}
	return g.d.Run(c)
}

// issue issues the work.
func (g *doubling) issue() (err error) {
	if g.y, err = g.d.Alloc(16); err != nil {
		return err
	}
	if err := g.add(g.y, g.x, g.x); err != nil {
		return err
	}
	if g.z, err = g.d.Alloc(16); err != nil {
		return err
	}
	if err := g.d.zero(g.z.(*Buffer).ptr, 16); err != nil {
		return err
	}
	if err := g.add(g.z, g.z, g.y); err != nil {
		return err
	}
	return g.d.CopyFrom(g.y, 0, g.x, 0, 16, g.d)
}

// replay sets x, replays and returns y and z.
func (g *doubling) replay(graph *Graph) (y, z []byte, err error) {
	y, z = make([]byte, 16), make([]byte, 16)
	err = g.d.CopyIn(g.x, 0, numbers4)
	if err == nil {
		err = graph.Replay()
	}
	if err == nil {
		err = g.d.CopyOut(y, g.y, 0)
	}
	if err == nil {
		err = g.d.CopyOut(z, g.z, 0)
	}
	return y, z, err
}

// TestGraphs: nothing runs while it is captured, and all of it with each replay.
func TestGraphs(t *testing.T) {
	m, s := simulated(t, nil)
	spy := dltest.Watch(dl.Table{Struct: s.API, Key: "cu"})
	d, err := m.at(0)
	if err != nil {
		t.Fatal(err)
	}
	g := newDoubling(t, d)
	graph, err := d.Capture(g.issue)
	if err != nil {
		t.Fatal(err)
	}
	if n := spy.Calls("cuLaunchKernel") + spy.Calls("cuMemsetD8Async") + spy.Calls("cuMemcpyDtoDAsync_v2"); n != 0 || graph.Nodes() != 4 {
		t.Errorf("%d calls were issued, of %d nodes", n, graph.Nodes())
	}
	for range 2 {
		if y, z, err := g.replay(graph); err != nil || !bytes.Equal(y, numbers4) || !bytes.Equal(z, twice) {
			t.Errorf("got %v, %v, %v", y, z, err)
		}
	}
	if launches := spy.Calls("cuGraphLaunch"); launches != 2 || spy.Calls("cuLaunchKernel") != 0 {
		t.Errorf("%d launches of the graph, want 2", launches)
	}
	if err := errors.Join(graph.Close(), graph.Close()); err != nil {
		t.Error(err)
	}
	var replay *ReplayError
	if err := graph.Replay(); !errors.As(err, &replay) {
		t.Errorf("once it is closed: got %v", err)
	}
	if created, destroyed := spy.Calls("cuGraphCreate"), spy.Calls("cuGraphDestroy"); created != 1 || destroyed != 1 || spy.Calls("cuGraphExecDestroy") != 1 {
		t.Errorf("%d graphs were made, %d destroyed", created, destroyed)
	}
}

// TestEveryCallOfAGraphMayFail has each call of the driver fail in turn: that is an error, all memory comes back, and the next capture is as if
// nothing had been.
func TestEveryCallOfAGraphMayFail(t *testing.T) {
	for _, symbol := range []string{"cuGraph*", "cuMemAlloc*", "cuModule*", "cuOccupancy*", "cuMemFree*", "cuMemcpy*", "cuStreamSynchronize"} {
		failures := 0
		for skip := range 30 {
			m, s := simulated(t, nil)
			d, err := m.at(0)
			if err != nil {
				t.Fatal(err)
			}
			g := newDoubling(t, d)
			before := d.Stats().AllocatedBytes[All].Current
			dltest.Watch(dl.Table{Struct: s.API, Key: "cu"}).Fail(symbol, skip, driver.ErrInvalidValue)
			err = g.whole()
			if err == nil {
				break
			}
			failures++
			var e *Error
			if !errors.As(err, &e) || e.Result != driver.ErrInvalidValue {
				t.Errorf("%s, call %d: got %v", symbol, skip, err)
			}
			if underway.Load() != nil {
				t.Fatalf("%s, call %d: the capture goes on", symbol, skip)
			}
			if err := g.whole(); err != nil {
				t.Errorf("%s, call %d: the capture after it: %v", symbol, skip, err)
			}
			g.free()
			if left := d.Stats().AllocatedBytes[All].Current; left > before {
				t.Errorf("%s, call %d: %d bytes more are allocated", symbol, skip, left-before)
			}
			d.Free(g.x)
			if err := d.EmptyCache(); err != nil || d.Stats().ReservedBytes[All].Current != 0 {
				t.Errorf("%s, call %d: %d bytes stay reserved, %v", symbol, skip, d.Stats().ReservedBytes[All].Current, err)
			}
		}
		if failures == 0 && symbol != "cuOccupancy*" && symbol != "cuMemFree*" {
			t.Errorf("%s never failed", symbol)
		}
	}
}

// whole captures, replays and closes.
func (g *doubling) whole() error {
	g.free()
	graph, err := g.d.Capture(g.issue)
	if err != nil {
		return err
	}
	_, z, err := g.replay(graph)
	if err == nil && !bytes.Equal(z, twice) {
		return errors.New("the sum is wrong")
	}
	if closed := graph.Close(); err == nil {
		err = closed
	}
	return err
}

func (g *doubling) free() {
	for _, b := range []*backend.Buffer{&g.y, &g.z} {
		if *b != nil {
			g.d.Free(*b)
			*b = nil
		}
	}
}

// TestGraphsOfOldDrivers: what the driver lacks is named.
func TestGraphsOfOldDrivers(t *testing.T) {
	m, s := simulated(t, nil)
	s.API.GraphInstantiate = nil
	d, err := m.at(0)
	if err != nil {
		t.Fatal(err)
	}
	g := newDoubling(t, d)
	_, err = d.Capture(g.issue)
	var symbol *driver.SymbolError
	if !errors.As(err, &symbol) || symbol.Symbol != "cuGraphInstantiateWithFlags" {
		t.Errorf("got %v", err)
	}
}

// TestFaultsInGraphs: a kernel of a graph that fails ends the device, as one that was launched by itself.
func TestFaultsInGraphs(t *testing.T) {
	m, _ := simulated(t, func(name, text string) (*sim.Code, error) {
		code, err := sim.CompilePTX(name, text)
		for _, k := range code.Kernels {
			k.Run = func(*sim.Launch) (sim.Work, error) { return sim.Work{}, driver.ErrIllegalAddress }
		}
		return code, err
	})
	d, err := m.at(0)
	if err != nil {
		t.Fatal(err)
	}
	g := newDoubling(t, d)
	graph, err := d.Capture(g.issue)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = g.replay(graph)
	var e *Error
	if !errors.As(err, &e) || e.Result != driver.ErrIllegalAddress {
		t.Fatalf("got %v", err)
	}
	if again := graph.Replay(); again == nil || again.Error() != err.Error() {
		t.Errorf("the next replay: %v", again)
	}
	if err := graph.Close(); err == nil {
		t.Error("a lost device closes a graph without a word")
	}
}
