package nn

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// Rotary is the rotary position embedding of Su et al. (2021), in the layout of GPT-NeoX and Llama: of the first Size elements of each head, i
// and i + Size/2 are a point in the plane, which turns by an angle that grows with the position. The product of a query and a key then depends on
// how far they are apart.
type Rotary struct {
	Size    int           // elements of a head that turn, an even number; the others stay
	Theta   float64       // point i turns by Theta^(-2i/Size) radians a position
	Scaling RotaryScaling // how the angles change for contexts longer than those of training; nil: not at all

	whole map[tableKey]*angleTables `nn:"-"` // of all positions, for pasts that keep them on a device
}

// RotaryScaling changes the frequencies of a Rotary: a LinearScaling, a DynamicScaling, a Llama3Scaling or a YaRNScaling.
type RotaryScaling interface {
	// scale returns the frequencies, in radians a position, of r's points for sequences of up to length positions, and what cosines and sines
	// are multiplied by.
	scale(r *Rotary, length int) (frequencies []float32, attention float64)
}

// Tables returns the cosines and sines of the angles at the positions of a batch of sequences, or of one that stands for all, with the device and
// dtype of like: tensors [sequences, 1, tokens, Size/2], which broadcast to a layer's heads. Angles are float32 numbers, as in the models that were
// trained with them.
func (r *Rotary) Tables(positions [][]int, like *tensor.Tensor) (cos, sin *tensor.Tensor) {
	if r.Size < 2 || r.Size%2 != 0 {
		panic(fault("rotary", fmt.Sprintf("the elements of a head that turn are an even number, not %d", r.Size)))
	}
	tokens := tokensOf("rotary", positions)
	frequencies, attention := r.frequencies(r.Theta), 1.0
	if r.Scaling != nil {
		frequencies, attention = r.Scaling.scale(r, longest(positions))
	}
	var c, s []float32
	for _, sequence := range positions {
		for _, p := range sequence {
			for _, f := range frequencies {
				sine, cosine := math.Sincos(float64(float32(p) * f))
				c, s = append(c, float32(attention)*float32(cosine)), append(s, float32(attention)*float32(sine))
			}
		}
	}
	table := func(v []float32) *tensor.Tensor {
		return inner.ConstantOn(tensor.FromSlice(v, len(positions), 1, tokens, len(frequencies)), like.Device(), like.DType())
	}
	return table(c), table(s)
}

// TablesFor returns Tables at the positions of the next n tokens of a past. Where that keeps them on the device they are looked up in tables of all
// positions, which have the same bits; angles must not depend on the length of the sequence then, as those of a DynamicScaling do beyond its MaxPositions.
func (r *Rotary) TablesFor(past Past, n int, like *tensor.Tensor) (cos, sin *tensor.Tensor) {
	there, ok := past.(DevicePast)
	if !ok {
		return r.Tables(past.Positions(n), like)
	}
	t := r.tablesUpTo(there.Room(), like)
	ids := there.PositionIDs(n)
	at := func(table *tensor.Tensor) *tensor.Tensor {
		return table.IndexSelect(0, ids.Flatten(0, 1)).View(ids.Size(0), 1, n, table.Size(1))
	}
	return at(t.cos), at(t.sin)
}

// tableKey tells tables apart.
type tableKey struct {
	device device.Device
	dtype  dtype.DType
}

// angleTables are cosines and sines of all positions, [positions, Size/2].
type angleTables struct{ cos, sin *tensor.Tensor }

// wholeTables guards those of each Rotary.
var wholeTables sync.Mutex

// tablesUpTo returns the tables of so many positions, or of more.
func (r *Rotary) tablesUpTo(positions int, like *tensor.Tensor) *angleTables {
	wholeTables.Lock()
	defer wholeTables.Unlock()
	key := tableKey{like.Device(), like.DType()}
	if t := r.whole[key]; t != nil && t.cos.Size(0) >= positions {
		return t
	}
	if r.Scaling != nil {
		short, _ := r.Scaling.scale(r, 1)
		if long, _ := r.Scaling.scale(r, positions); !slices.Equal(short, long) {
			panic(fault("rotary", fmt.Sprintf("angles that change with the length of a sequence, as a %T's, have no tables for a cache of a fixed size of %d tokens", r.Scaling, positions)))
		}
	}
	cos, sin := r.Tables([][]int{count(0, positions)}, like)
	t := &angleTables{cos.View(positions, -1), sin.View(positions, -1)}
	if inner.CaptureOf(like) == nil { // else they are the graph's
		if r.whole == nil {
			r.whole = map[tableKey]*angleTables{}
		}
		r.whole[key] = t
	}
	return t
}

// longest returns the greatest position and one more.
func longest(positions [][]int) int {
	n := 0
	for _, sequence := range positions {
		for _, p := range sequence {
			n = max(n, p+1)
		}
	}
	return n
}

// frequencies returns theta^(-2i/Size) for each point i.
func (r *Rotary) frequencies(theta float64) []float32 {
	f := make([]float32, r.Size/2)
	for i := range f {
		f[i] = 1 / float32(math.Pow(theta, float64(float32(2*i)/float32(r.Size))))
	}
	return f
}

// Rotate turns x [..., T, D] by tables of cosines and sines that broadcast to [..., T, n], 2n ≤ D: elements i and i + n, i < n, become
// x[i]·cos[i] - x[i+n]·sin[i] and x[i+n]·cos[i] + x[i]·sin[i].
func Rotate(x, cos, sin *tensor.Tensor) *tensor.Tensor {
	if y := inner.Rotate(x, cos, sin); y != nil {
		return y
	}
	n := cos.Size(-1)
	a, b := x.Narrow(-1, 0, n), x.Narrow(-1, n, n)
	parts := []*tensor.Tensor{a.Mul(cos).Sub(b.Mul(sin)), b.Mul(cos).Add(a.Mul(sin))}
	if rest := x.Size(-1) - 2*n; rest > 0 {
		parts = append(parts, x.Narrow(-1, 2*n, rest))
	}
	return tensor.Cat(parts, -1)
}
