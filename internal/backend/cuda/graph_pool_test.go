package cuda

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"cresset/internal/dl"
	"cresset/internal/dl/dltest"
)

// TestGraphPool: what a capture frees is used again within it, by nobody else until the graph is closed, and by everybody then.
func TestGraphPool(t *testing.T) {
	m, s := simulated(t, nil)
	spy := dltest.Watch(dl.Table{Struct: s.API, Key: "cu"})
	d, err := m.at(0)
	if err != nil {
		t.Fatal(err)
	}
	g := newDoubling(t, d)
	alloc := func(bytes int) *Buffer {
		t.Helper()
		b, err := d.Alloc(bytes)
		if err != nil {
			t.Fatal(err)
		}
		return b.(*Buffer)
	}
	const large = 64 << 20
	var at uint64
	var kept *Buffer
	graph, err := d.Capture(func() error {
		b := alloc(large)
		at = b.ptr
		d.Free(b)
		if again := alloc(large); again.ptr != at {
			t.Error("a freed block is not used again within the graph")
		} else {
			d.Free(again)
		}
		kept = alloc(1000)
		if err := d.EmptyCache(); err != nil || spy.Calls("cuMemFree_v2") != 0 {
			t.Errorf("the capture gave memory back to the driver, %v", err)
		}
		return g.issue()
	})
	if err != nil {
		t.Fatal(err)
	}
	if b := alloc(large); b.ptr == at {
		t.Error("the graph's memory was handed out")
	} else {
		d.Free(b)
	}
	d.Free(kept) // to the graph
	if b := alloc(1000); b.ptr == kept.ptr {
		t.Error("what a tensor of the graph held was handed out")
	}
	if err := d.EmptyCache(); err != nil {
		t.Fatal(err)
	}
	if held := d.Stats().ReservedBytes[All].Current; held < large {
		t.Errorf("%d bytes are reserved: the graph's were given back", held)
	}
	if err := graph.Close(); err != nil {
		t.Fatal(err)
	}
	if b := alloc(large); b.ptr != at {
		t.Error("the graph's memory is not used again once it is closed")
	} else {
		d.Free(b)
	}
	g.free() // of memory that was the graph's
	if err := d.EmptyCache(); err != nil || d.Stats().ReservedBytes[All].Current >= large {
		t.Errorf("%d bytes stay reserved, %v", d.Stats().ReservedBytes[All].Current, err)
	}
}

// TestGraphsKnowReleasedInputs: a graph whose input was freed says so, also where its memory serves another tensor, and issues nothing.
func TestGraphsKnowReleasedInputs(t *testing.T) {
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
	d.Free(g.x)
	if _, err := d.Alloc(16); err != nil {
		t.Fatal(err)
	}
	var replay *ReplayError
	if err := graph.Replay(); !errors.As(err, &replay) || !strings.Contains(err.Error(), "float32[4] of add was released after the capture") {
		t.Errorf("got %v", err)
	}
	if n := spy.Calls("cuGraphLaunch"); n != 0 {
		t.Errorf("%d launches", n)
	}
}

// TestOthersWorkWhileOneCaptures: what other goroutines issue is done at once and is not in the graph; memory of the graph is not theirs to use.
func TestOthersWorkWhileOneCaptures(t *testing.T) {
	m, _ := simulated(t, nil)
	d, err := m.at(0)
	if err != nil {
		t.Fatal(err)
	}
	mine := newDoubling(t, d)
	var others sync.WaitGroup
	graph, err := d.Capture(func() error {
		for range 4 {
			others.Go(func() {
				g := newDoubling(t, d)
				sum := make([]byte, 16)
				for range 20 {
					err := errors.Join(d.CopyIn(g.x, 0, numbers4), g.issue(), d.CopyOut(sum, g.z, 0))
					if err != nil || string(sum) != string(twice) {
						t.Errorf("another goroutine got %v, %v", sum, err)
					}
					g.free()
				}
				if _, err := d.Capture(g.issue); err == nil {
					t.Error("two captures at once")
				}
			})
		}
		if err := mine.issue(); err != nil {
			return err
		}
		others.Go(func() {
			var refused *CaptureError
			if err := mine.add(mine.x, mine.y, mine.y); !errors.As(err, &refused) {
				t.Errorf("another goroutine uses what is captured: %v", err)
			}
		})
		others.Wait()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if graph.Nodes() != 4 {
		t.Errorf("the graph has %d nodes, want 4", graph.Nodes())
	}
	if _, z, err := mine.replay(graph); err != nil || string(z) != string(twice) {
		t.Errorf("got %v, %v", z, err)
	}
}
