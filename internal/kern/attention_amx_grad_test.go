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
)

// attentionSums are gradients in float64, [batch, heads, rows, width], with what bounds they are off.
type attentionSums struct{ value, off []float64 }

func newAttentionSums(n int) attentionSums {
	return attentionSums{make([]float64, n), make([]float64, n)}
}

// add adds products of a factor, which is off by so much, with a row.
func (s *attentionSums) add(at int, factor, off float64, row []dtype.BF16, width int) {
	for i, v := range row[:width] {
		x := float64(v.Float32())
		s.value[at*width+i] += factor * x
		s.off[at*width+i] += off * math.Abs(x)
	}
}

// check allows for a rounding of the result, too.
func (s *attentionSums) check(t *testing.T, name string, i int, got float64) {
	t.Helper()
	if want, tol := s.value[i], s.off[i]*1.01+0x1.01p-8*math.Abs(s.value[i]); !(math.Abs(got-want) <= tol) {
		t.Fatalf("%s[%d] is %v, want %v ± %v", name, i, got, want, tol)
	}
}

// gradInFloat64 returns the gradients for queries, keys and values.
func gradInFloat64(a *AttentionGrad[float32]) (dq, dk, dv attentionSums) {
	all, shared := (*attention[float32])(&a.Attention), a.Heads/a.Groups
	dq, dk, dv = newAttentionSums(a.Batch*a.Heads*a.Queries*a.Width), newAttentionSums(a.Batch*a.Groups*a.Keys*a.Width), newAttentionSums(a.Batch*a.Groups*a.Keys*a.Outputs)
	dot := func(x, y []dtype.BF16, n int) (sum, size float64) {
		for i := range n {
			p := float64(x[i].Float32()) * float64(y[i].Float32())
			sum, size = sum+p, size+math.Abs(p)
		}
		return sum, size
	}
	for i := range a.Batch * a.Heads * a.Queries {
		b, h, row := i/a.Queries/a.Heads, i/a.Queries%a.Heads, i%a.Queries
		q, dout, group := a.Q.Halves[a.Q.at(b, h, row):], a.DOut.Halves[a.DOut.at(b, h, row):], h/shared
		want := all.inFloat64(b, h, row)
		delta, deltaSize := dot(dout, a.Out.Halves[a.Out.at(b, h, row):], a.Outputs)
		lo, hi := all.keysOfRow(row)
		for key := lo; key < hi; key++ {
			k, v, at := a.K.Halves[a.K.at(b, group, key):], a.V.Halves[a.V.at(b, group, key):], (b*a.Groups+group)*a.Keys+key
			score, _ := dot(q, k, a.Width)
			score, slope := score*a.Scale, a.Scale
			if a.SoftCap > 0 {
				bent := math.Tanh(score / a.SoftCap)
				score, slope = a.SoftCap*bent, slope*(1-bent*bent)
			}
			p := math.Exp(score - want.logSum)
			dp, dpSize := dot(dout, v, a.Outputs)
			ds := p * (dp - delta) * slope
			rounding := 2*((float64(a.Width)/2+24)*0x1p-24*want.score+0x1p-20) + (float64(a.Outputs)/2+24)*0x1p-24
			off := 0x1p-8*math.Abs(ds) + rounding*p*(dpSize+deltaSize)*a.Scale
			dv.add(at, p, (0x1p-8+rounding)*p, dout, a.Outputs)
			dk.add(at, ds, off, q, a.Width)
			dq.add(i, ds, off, k, a.Width)
		}
	}
	return dq, dk, dv
}

// TestAttentionGradOnAMX bounds what gradients of bfloat16 are off: P and dS by a rounding to bfloat16, and results by another one. Threads that divide the keys and queries
// of a head make the bits that one makes.
func TestAttentionGradOnAMX(t *testing.T) {
	needAMX(t)
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	for n, c := range amxAttentions {
		t.Run(fmt.Sprintf("%d", n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(33, uint64(n)))
			g := AttentionGrad[float32]{Attention: *newAttentionBF16(t, c, rng, n%2 == 0)}
			if err := AttentionForward(&g.Attention); err != nil {
				t.Fatal(err)
			}
			// Like the result, rows of its gradient; like keys and values, rows of theirs. No key is without numbers here, for it would have a gradient.
			g.DOut, g.DK, g.DV = g.Out, g.K, g.V
			g.DOut.Halves = guarded.Copy(t, g.Out.Halves, n%2 == 0)
			for i := range g.DOut.Halves {
				g.DOut.Halves[i] = dtype.ToBF16(float32(rng.NormFloat64()))
			}
			for _, h := range []*Heads[float32]{&g.K, &g.V} {
				for i, v := range h.Halves {
					if v == 0x7fc0 {
						h.Halves[i] = 0
					}
				}
			}
			g.DK.Halves, g.DV.Halves = guarded.Copy(t, g.K.Halves, n%2 == 0), guarded.Copy(t, g.V.Halves, n%2 == 0)
			g.DQ = Heads[float32]{Data: guarded.Slice[float32](t, g.Batch*g.Heads*g.Queries*g.Width, n%2 == 0), Batch: g.Heads * g.Queries * g.Width, Head: g.Queries * g.Width, Row: g.Width}
			g.Delta = make([]float32, len(g.LogSum))
			dq, dk, dv := gradInFloat64(&g)
			var bits [2][]dtype.BF16
			var floats []float32
			for _, threads := range []int{1, 7} {
				runtime.GOMAXPROCS(threads)
				if err := AttentionBackward(&g); err != nil {
					t.Fatal(err)
				}
				if floats == nil {
					floats, bits = slices.Clone(g.DQ.Data), [2][]dtype.BF16{slices.Clone(g.DK.Halves), slices.Clone(g.DV.Halves)}
				}
				if !slices.Equal(g.DQ.Data, floats) || !slices.Equal(g.DK.Halves, bits[0]) || !slices.Equal(g.DV.Halves, bits[1]) {
					t.Errorf("%d threads make other bits", threads)
				}
			}
			for i, got := range g.DQ.Data {
				dq.check(t, "dq", i, float64(got))
			}
			for at := range g.Batch * g.Groups * g.Keys {
				b, group, key := at/g.Keys/g.Groups, at/g.Keys%g.Groups, at%g.Keys
				for i := range g.Width {
					dk.check(t, "dk", at*g.Width+i, float64(g.DK.Halves[g.DK.at(b, group, key)+i].Float32()))
				}
				for i := range g.Outputs {
					dv.check(t, "dv", at*g.Outputs+i, float64(g.DV.Halves[g.DV.at(b, group, key)+i].Float32()))
				}
			}
		})
	}
}
