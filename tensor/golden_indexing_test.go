package tensor

func alone(t *Tensor) []*Tensor { return []*Tensor{t} }

func longs(v ...int64) *Tensor { return FromSlice(v) }

var goldenIndexing = map[string]goldenOp{
	"transpose(0,2)":     func(in []*Tensor) []*Tensor { return alone(in[0].Transpose(0, 2).Exp()) },
	"expand":             func(in []*Tensor) []*Tensor { return alone(in[0].Expand(4, 3, 2).Exp()) },
	"permute(2,0,1)":     func(in []*Tensor) []*Tensor { return alone(in[0].Permute(2, 0, 1).MulScalar(2)) },
	"slice[1:,::2]":      func(in []*Tensor) []*Tensor { return alone(in[0].Slice(0, 1, End).Slice(1, 0, End, 2)) },
	"chunk(3)":           func(in []*Tensor) []*Tensor { return in[0].Chunk(3, 0) },
	"cat(1)":             func(in []*Tensor) []*Tensor { return alone(Cat(in, 1)) },
	"stack(1)":           func(in []*Tensor) []*Tensor { return alone(Stack(in, 1)) },
	"pad(1,2,0,1)":       func(in []*Tensor) []*Tensor { return alone(in[0].Pad([]int{1, 2, 0, 1}, 0.5)) },
	"index rows [2,0,2]": func(in []*Tensor) []*Tensor { return alone(in[0].Index(longs(2, 0, 2))) },
	"index_select(1)":    func(in []*Tensor) []*Tensor { return alone(in[0].IndexSelect(1, longs(3, 0, 3))) },
	"gather(1)": func(in []*Tensor) []*Tensor {
		return alone(in[0].Gather(1, longs(0, 2, 1, 1, 3, 0).View(3, 2)))
	},
	"scatter_add(1)": func(in []*Tensor) []*Tensor {
		return alone(in[0].ScatterAdd(1, longs(0, 2, 1, 1, 3, 3).View(3, 2), in[1]))
	},
	"tril(-1)":  func(in []*Tensor) []*Tensor { return alone(in[0].Tril(-1)) },
	"triu(1)":   func(in []*Tensor) []*Tensor { return alone(in[0].Triu(1)) },
	"embedding": func(in []*Tensor) []*Tensor { return alone(Embedding(in[0], longs(1, 0, 3, 1).View(2, 2))) },
}
