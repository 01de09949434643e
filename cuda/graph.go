package cuda

import (
	"cresset/internal/backend/cuda"
	"cresset/tensor"
)

// Graph is work that a GPU does at once, by one launch, each time that it is replayed: PyTorch's CUDAGraph.
type Graph struct{ graph *cuda.Graph }

// CaptureError says what a graph cannot have, and what to do instead. Ops panic with a *tensor.Error that wraps it.
type CaptureError = cuda.CaptureError

// ReplayError says why a graph cannot be replayed.
type ReplayError = cuda.ReplayError

// Capture runs f, in which nothing that f's goroutine issues to a GPU is done: it becomes a graph, for Replay to do as often as is wanted.
// What other goroutines issue meanwhile is done as ever.
//
//	for range 3 {
//		step() // states of optimizers begin before
//	}
//	g, err := cuda.Capture(func() error { step(); return nil })
//	for batch := range batches {
//		x.CopyInPlace(batch)
//		err = g.Replay()
//	}
//
// A replay computes what step would: generators go on, optimizers count steps and follow their groups' learning rates. It reads tensors
// of before where they lie, so data is copied into them, and writes what f has made where that lies, over what the replay before it wrote; both
// keep their memory until Close. Shapes, and what the host decided and computed, stay as they were.
//
// Errors of f, panics of ops among them, are returned. f must not read elements (Item, CPU, printing), wait, copy from memory that is not pinned,
// or work on another GPU: that is a *CaptureError. One graph is captured at a time.
func Capture(f func() error, index ...int) (*Graph, error) {
	p, err := GraphPoolHandle(index...)
	if err != nil {
		return nil, err
	}
	return p.Capture(f)
}

// GraphPool is memory that several graphs share, which is theirs until the last of them is closed: PyTorch's pool of torch.cuda.graph. A graph of a pool
// takes what those captured before it have left free, so that graphs for several sizes of a batch need the memory of the largest.
//
// PyTorch's rule holds: what such graphs leave in their memory is good as long as they are replayed in the order of their captures. A tensor that is held when
// a further graph is captured stays its own, so that graphs whose results are held, and which read nothing else of each other, may be replayed in any
// order. Replays of one GPU never overlap.
type GraphPool struct{ pool *cuda.GraphPool }

// GraphPoolHandle returns a new pool on a GPU. It takes memory by the captures alone.
func GraphPoolHandle(index ...int) (*GraphPool, error) {
	d, err := cuda.OpenDevice(number(index))
	if err != nil {
		return nil, err
	}
	return &GraphPool{d.NewGraphPool()}, nil
}

// Pool returns the pool of a graph, for others to be captured into.
func (g *Graph) Pool() *GraphPool { return &GraphPool{g.graph.Pool()} }

// Capture is the function Capture with memory of the pool.
func (p *GraphPool) Capture(f func() error) (*Graph, error) {
	g, err := p.pool.Capture(func() (err error) {
		if failed := tensor.Try(func() { err = f() }); failed != nil {
			return failed
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Graph{g}, nil
}

// IsCapturing reports whether the caller's goroutine captures on a GPU: what it issues there is not done.
func IsCapturing(index ...int) bool {
	d := started(index)
	return d != nil && d.Capturing() != nil
}

// Replay issues the graph's work, behind what was issued to the GPU before, and returns. It fails where a tensor that the graph reads was
// released by hand; then nothing was issued, nor counted.
func (g *Graph) Replay() error { return g.graph.Replay() }

// Nodes returns how many kernels, copies and fills the graph has.
func (g *Graph) Nodes() int { return g.graph.Nodes() }

// Close waits for the last replay and gives up the graph's memory, but for what tensors hold of it. A second Close does nothing. The
// collector closes graphs that nobody uses.
func (g *Graph) Close() error { return g.graph.Close() }
