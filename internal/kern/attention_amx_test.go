package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
	"cresset/internal/op"
)

// amxAttentions have ends of everything: steps, panels, tiles and blocks, and queries that share keys, alone and in several blocks.
var amxAttentions = []Attention[float32]{
	{Batch: 2, Heads: 4, Groups: 2, Queries: 33, Keys: 47, Width: 32, Outputs: 50, Attend: op.Attend{Scale: 0.3}},
	{Batch: 1, Heads: 2, Groups: 1, Queries: 129, Keys: 130, Width: 33, Outputs: 32, Attend: op.Attend{Scale: 0.2, Causal: true}},
	{Batch: 1, Heads: 1, Groups: 1, Queries: 5, Keys: 460, Width: 64, Outputs: 33, Attend: op.Attend{Scale: 0.125, Causal: true, First: 440}},
	{Batch: 2, Heads: 6, Groups: 2, Queries: 1, Keys: 70, Width: 40, Outputs: 40, Attend: op.Attend{Scale: 0.21, SoftCap: 1.5}},
	{Batch: 1, Heads: 1, Groups: 1, Queries: 66, Keys: 300, Width: 48, Outputs: 32, Attend: op.Attend{Scale: 0.4, Causal: true, First: 150, Window: 60}},
}

// newAttentionBF16 returns attention of random rows that are a little apart, between pages that must not be touched. Keys and values that no query sees are no numbers.
func newAttentionBF16(t *testing.T, a Attention[float32], rng *rand.Rand, atEnd bool) *Attention[float32] {
	heads := func(count, rows, width, seen int) Heads[float32] {
		h := Heads[float32]{Row: width + 3, Head: rows*(width+3) + 1}
		h.Batch = count * h.Head
		h.Halves = guarded.Slice[dtype.BF16](t, a.Batch*h.Batch-4, atEnd)
		for i := range h.Halves {
			h.Halves[i] = 0x7fc0
		}
		for b := range a.Batch {
			for i := range count {
				for row := range seen {
					for j := range width {
						h.Halves[h.at(b, i, row)+j] = dtype.ToBF16(float32(rng.NormFloat64()))
					}
				}
			}
		}
		return h
	}
	a.Keep = 1
	_, seen := (*attention[float32])(&a).keysOf(0, a.Queries)
	a.Q, a.Out = heads(a.Heads, a.Queries, a.Width, a.Queries), heads(a.Heads, a.Queries, a.Outputs, 0)
	a.K, a.V = heads(a.Groups, a.Keys, a.Width, seen), heads(a.Groups, a.Keys, a.Outputs, seen)
	a.LogSum = make([]float32, a.Batch*a.Heads*a.Queries)
	return &a
}

// attendsTo is a query of attention in float64.
type attendsTo struct {
	out, size []float64 // the result, and what products of weights and values add up to by their sizes
	logSum    float64
	score     float64 // the most that products of a score add up to by their sizes
}

func (a *attention[T]) inFloat64(b, h, row int) attendsTo {
	r := attendsTo{out: make([]float64, a.Outputs), size: make([]float64, a.Outputs)}
	q, group, sum := a.Q.Halves[a.Q.at(b, h, row):], h/(a.Heads/a.Groups), 0.0
	lo, hi := a.keysOfRow(row)
	for key := lo; key < hi; key++ {
		k, v := a.K.Halves[a.K.at(b, group, key):], a.V.Halves[a.V.at(b, group, key):]
		score, size := 0.0, 0.0
		for i := range a.Width {
			p := float64(q[i].Float32()) * float64(k[i].Float32()) * a.Scale
			score, size = score+p, size+math.Abs(p)
		}
		if a.SoftCap > 0 {
			score = a.SoftCap * math.Tanh(score/a.SoftCap)
		}
		p := math.Exp(score)
		sum, r.score = sum+p, max(r.score, size)
		for i := range a.Outputs {
			r.out[i] += p * float64(v[i].Float32())
			r.size[i] += p * math.Abs(float64(v[i].Float32()))
		}
	}
	for i := range r.out {
		r.out[i], r.size[i] = r.out[i]/sum, r.size[i]/sum
	}
	r.logSum = math.Log(sum)
	return r
}

// TestAttentionOnAMX bounds what attention of bfloat16 is off: scores as products are, weights by a rounding to bfloat16 and those of their scores, results by another one.
// Logarithms of sums are those of weights that were not rounded. Several threads, and those of each, make the bits that one makes.
func TestAttentionOnAMX(t *testing.T) {
	needAMX(t)
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	for n, c := range amxAttentions {
		t.Run(fmt.Sprintf("%d", n), func(t *testing.T) {
			a := newAttentionBF16(t, c, rand.New(rand.NewPCG(31, uint64(n))), n%2 == 0)
			var bits []dtype.BF16
			for _, threads := range []int{1, 7} {
				runtime.GOMAXPROCS(threads)
				if err := AttentionForward(a); err != nil {
					t.Fatal(err)
				}
				if bits == nil {
					bits = slices.Clone(a.Out.Halves)
				}
				if !slices.Equal(a.Out.Halves, bits) {
					t.Errorf("%d threads make other bits", threads)
				}
			}
			for i, logSum := range a.LogSum {
				b, h, row := i/a.Queries/a.Heads, i/a.Queries%a.Heads, i%a.Queries
				want := (*attention[float32])(a).inFloat64(b, h, row)
				score := (float64(a.Width)/2+24)*0x1p-24*want.score + 0x1p-20
				if diff := math.Abs(float64(logSum) - want.logSum); !(diff <= score) {
					t.Fatalf("query %d of head %d: a sum's logarithm %v, want %v ± %v", row, h, logSum, want.logSum, score)
				}
				for j, w := range want.out {
					got, tol := float64(a.Out.Halves[a.Out.at(b, h, row)+j].Float32()), (0x1p-8+2*score)*want.size[j]+0x1.01p-8*math.Abs(w)
					if diff := math.Abs(got - w); !(diff <= tol) {
						t.Fatalf("query %d of head %d: element %d is %v, want %v ± %v", row, h, j, got, w, tol)
					}
				}
			}
			for i := range a.Out.Halves {
				if at := i % a.Out.Head % a.Out.Row; (at >= a.Outputs || i%a.Out.Head >= a.Queries*a.Out.Row) && a.Out.Halves[i] != 0x7fc0 {
					t.Fatalf("wrote between rows of the result, at %d", i)
				}
			}
		})
	}
}
