package generation

import (
	"fmt"
	"slices"

	"cresset/cuda"
	"cresset/device"
	"cresset/models"
	"cresset/nn"
	"cresset/tensor"
)

// reader has a model read tokens of a batch, which it remembers.
type reader interface {
	// forget makes what comes the beginning of sequences, with so much padding on the left of each.
	forget(padding []int)
	// length is how many tokens of each sequence were read.
	length() int
	// read returns the scores of the tokens that follow, those of a sequence behind those of the one before.
	read(next [][]int) []float32
	close()
}

// newReader returns a reader of up to room tokens.
func newReader(m models.Decoder, batch, room int, o Options) (r reader, err error) {
	dev := device.CPU
	for _, p := range nn.Parameters(m) {
		dev = p.Device()
		break
	}
	switch {
	case o.Graph && !dev.IsCUDA():
		return nil, fmt.Errorf("a graph is work of a GPU, and the model is on %s", dev)
	case !o.Graph && !o.Compile:
		return &stepReader{model: m, device: dev}, nil
	}
	err = tensor.Try(func() { r = newStaticReader(m, dev, batch, room, o) })
	return r, err
}

// stepReader issues each step.
type stepReader struct {
	model  models.Decoder
	device device.Device
	cache  nn.KVCache
}

func (r *stepReader) forget(padding []int) {
	r.cache = nn.KVCache{LastOnly: true}
	if slices.Max(padding) > 0 {
		r.cache.Padding = padding
	}
}

func (r *stepReader) length() int { return r.cache.Length() }

func (r *stepReader) read(next [][]int) []float32 {
	scope := tensor.NewScope()
	defer scope.Close()
	return onHost(scoresOf(r.model, scope.Enter(tensor.Of(next)).To(r.device), &r.cache))
}

func (*stepReader) close() {}

// staticReader issues prompts, and steps behind them over keys and values that stay where they are: compiled, as a graph, or both.
type staticReader struct {
	model  models.Decoder
	device device.Device
	cache  *nn.StaticKVCache
	ids    *tensor.Tensor // [batch, 1]: what steps read
	step   func(ids *tensor.Tensor) *tensor.Tensor
	graphs bool
	ready  bool // to be captured: what is compiled has run
	graph  *cuda.Graph
	scores *tensor.Tensor // what the graph writes
}

func newStaticReader(m models.Decoder, dev device.Device, batch, room int, o Options) *staticReader {
	r := &staticReader{model: m, device: dev, cache: nn.NewStaticKVCache(dev, batch, room), ids: tensor.On(dev).Empty(batch, 1).Long(), graphs: o.Graph, ready: !o.Compile}
	r.step = func(ids *tensor.Tensor) *tensor.Tensor { return scoresOf(m, ids, r.cache) }
	if o.Compile {
		r.step = tensor.Compile(r.step)
	}
	return r
}

func (r *staticReader) forget(padding []int) {
	r.cache.LastOnly = true
	r.cache.Reset(padding...)
}

func (r *staticReader) length() int { return r.cache.Length() }

func (r *staticReader) read(next [][]int) []float32 {
	if len(next[0]) > 1 || r.cache.Length() == 0 {
		scope := tensor.NewScope()
		defer scope.Close()
		return onHost(scoresOf(r.model, scope.Enter(tensor.Of(next)).To(r.device), r.cache))
	}
	r.ids.CopyInPlace(tensor.Of(next))
	if !r.graphs || !r.ready {
		scope := tensor.NewScope()
		defer scope.Close()
		scores := onHost(r.step(scope.Enter(r.ids)))
		r.ready = true
		return scores
	}
	if r.graph == nil {
		r.capture()
	}
	if err := r.graph.Replay(); err != nil {
		panic(&tensor.Error{Op: "replay", Kind: tensor.ErrDevice, Err: err})
	}
	return onHost(r.scores)
}

func (r *staticReader) capture() {
	index, _ := r.device.Index()
	var err error
	r.graph, err = cuda.Capture(func() error {
		scope := tensor.NewScope()
		defer scope.Close()
		r.scores = scope.Keep(r.step(scope.Enter(r.ids)))
		return nil
	}, index)
	if err != nil {
		panic(&tensor.Error{Op: "capture", Kind: tensor.ErrDevice, Err: err})
	}
}

func (r *staticReader) close() {
	if r.graph != nil {
		_ = r.graph.Close() // what failed on the GPU was told by the step
	}
}

// scoresOf returns the scores of the tokens behind the last of ids, float32 [batch, vocabulary].
func scoresOf(m models.Decoder, ids *tensor.Tensor, past nn.Past) *tensor.Tensor {
	return m.Read(ids, past).Select(1, -1).Float()
}

func onHost(scores *tensor.Tensor) []float32 {
	return tensor.Data[float32](scores.CPU().Contiguous())
}
