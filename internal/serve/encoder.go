package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"cresset/device"
	"cresset/linalg"
	"cresset/models/bert"
	"cresset/nn"
	"cresset/tensor"
	"cresset/text/serving"
)

// Encoder makes vectors of length 1 that stand for texts, by a model whose tokens see each other in both directions. Goroutines may share it: a request at a time
// is computed.
type Encoder struct {
	model   *bert.Model
	device  device.Device
	first   bool // a text is its first token, not the mean of all
	queue   int64
	turn    chan struct{} // holds one
	waiting atomic.Int64
}

// encoderBatch is how many texts are computed at once.
const encoderBatch = 32

// NewEncoder returns an encoder by a model, for which as many requests as queue may wait. How its tokens make a text is told by the settings of pooling that folders
// of sentence-transformers have; elsewhere it is their mean.
func NewEncoder(m *bert.Model, dir string, queue int) (*Encoder, error) {
	e := &Encoder{model: nn.Frozen(m), queue: int64(queue), turn: make(chan struct{}, 1)}
	for _, p := range nn.Parameters(m) {
		e.device = p.Device()
		break
	}
	text, err := os.ReadFile(filepath.Join(dir, "1_Pooling", "config.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	var pooling struct {
		First bool `json:"pooling_mode_cls_token"`
		Mean  bool `json:"pooling_mode_mean_tokens"`
	}
	if err == nil {
		err = json.Unmarshal(text, &pooling)
	}
	if err == nil && pooling.First == pooling.Mean {
		err = errors.New("1_Pooling/config.json: of the ways to pool tokens, the first one and the mean are supported")
	}
	e.first = pooling.First
	return e, err
}

// encode returns the vectors of texts, in their order.
func (e *Encoder) encode(ctx context.Context, texts [][]int) ([][]float32, error) {
	defer e.waiting.Add(-1)
	if e.waiting.Add(1) > e.queue {
		return nil, serving.ErrBusy
	}
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(texts[a]), len(texts[b])) }) // so that little is padded
	vectors := make([][]float32, len(texts))
	for batch := range slices.Chunk(order, encoderBatch) {
		err := ctx.Err()
		if err == nil {
			err = tensor.Try(func() { e.batch(texts, batch, vectors) })
		}
		if err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// batch computes the vectors of some of the texts.
func (e *Encoder) batch(texts [][]int, which []int, vectors [][]float32) {
	scope := tensor.NewScope()
	defer scope.Close()
	longest := len(texts[which[len(which)-1]])
	var ids, mask []int
	for _, i := range which {
		padding := make([]int, longest-len(texts[i]))
		ids = append(append(ids, texts[i]...), padding...)
		mask = append(append(mask, slices.Repeat([]int{1}, len(texts[i]))...), padding...)
	}
	enter := func(v []int) *tensor.Tensor {
		return scope.Enter(tensor.FromSlice(v, len(which), longest)).To(e.device)
	}
	in := bert.Input{IDs: enter(ids), Mask: enter(mask)}
	x := e.model.Hidden(in)
	if e.first {
		x = x.Select(1, 0)
	} else {
		x = in.Mean(x)
	}
	x = x.Float()
	x = x.Div(linalg.VectorNorm(x, 2, []int{1}, true))
	all := tensor.Data[float32](x.CPU().Contiguous())
	for k, i := range which {
		vectors[i] = slices.Clone(all[k*len(all)/len(which):][:len(all)/len(which)])
	}
}
