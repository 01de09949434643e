package cuda

import (
	"math"
	"slices"

	"cresset/dtype"
	"cresset/internal/rng"
)

// compute returns the result and the gradients for queries, keys, values and a mask, of which round keeps what is rounded between ops.
func (a *attends) compute(q, k, v, dy, mask []float64, round func([]float64)) [][]float64 {
	out, dq, dk, dv := make([]float64, len(dy)), make([]float64, len(q)), make([]float64, len(k)), make([]float64, len(v))
	dmask := make([]float64, len(mask))
	over := 0.0
	if a.Keep > 0 {
		over = 1 / a.Keep
	}
	for row := range a.batch * a.heads * a.queries {
		i, head := row%a.queries, row/a.queries
		b, group := head/a.heads, head/a.heads*a.groups+head%a.heads/(a.heads/a.groups)
		keys, values := k[group*a.keys*a.width:], v[group*a.keys*a.outputs:]
		scores, slopes := a.scores(q[row*a.width:], keys, mask[(b*a.queries+i)*a.keys:], i, round)
		p := softmaxOf(scores)
		round(p)
		left, dp, dot := make([]float64, a.keys), make([]float64, a.keys), 0.0
		for j := range left {
			if a.kept(row, j) {
				left[j] = p[j] * over
				for e := range a.outputs {
					dp[j] += dy[row*a.outputs+e] * values[j*a.outputs+e] * over
				}
			}
		}
		round(left)
		round(dp)
		for j, w := range left {
			dot += p[j] * dp[j]
			for e := range a.outputs {
				out[row*a.outputs+e] += w * values[j*a.outputs+e]
				dv[(group*a.keys+j)*a.outputs+e] += w * dy[row*a.outputs+e]
			}
		}
		for j := range dp {
			ds := p[j] * (dp[j] - dot)
			dmask[(b*a.queries+i)*a.keys+j] += ds
			dp[j] = ds * slopes[j] * a.Scale
		}
		round(dp)
		for j, d := range dp {
			for e := range a.width {
				dq[row*a.width+e] += d * keys[j*a.width+e]
				dk[(group*a.keys+j)*a.width+e] += d * q[row*a.width+e]
			}
		}
	}
	return [][]float64{out, dq, dk, dv, dmask}
}

// scores returns the scores of query i, and the slopes of the soft cap.
func (a *attends) scores(q, keys, mask []float64, i int, round func([]float64)) (s, slopes []float64) {
	s, slopes = make([]float64, a.keys), make([]float64, a.keys)
	for j := range s {
		for e := range a.width {
			s[j] += q[e] * keys[j*a.width+e]
		}
	}
	round(s)
	for j := range s {
		s[j] *= a.Scale
	}
	round(s)
	for j := range s {
		slopes[j] = 1
		if a.SoftCap > 0 {
			bent := math.Tanh(s[j] / a.SoftCap)
			s[j], slopes[j] = a.SoftCap*bent, 1-bent*bent
		}
		if a.masked && a.mask == dtype.Bool {
			if mask[j] == 0 {
				s[j] = math.Inf(-1)
			}
		} else if a.masked {
			s[j] += mask[j]
		}
		away := a.First + i - j
		if a.Causal && away < 0 || a.Window > 0 && (away >= a.Window || -away >= a.Window) {
			s[j] = math.Inf(-1)
		}
	}
	round(s)
	return s, slopes
}

// kept reports whether dropout keeps a key of a row: key j has word j%4 of four that are drawn at j/4.
func (a *attends) kept(row, j int) bool {
	return a.Keep == 1 || uint64(rng.Philox(attentionSeed, uint64(j/4), uint64(row))[j%4]) < uint64(a.Keep*0x1p32)
}

// softmaxOf returns the softmax, zeros where all scores are -∞.
func softmaxOf(s []float64) []float64 {
	p, sum, top := make([]float64, len(s)), 0.0, slices.Max(append([]float64{math.Inf(-1)}, s...))
	if math.IsInf(top, -1) {
		return p
	}
	for j := range s {
		p[j] = math.Exp(s[j] - top)
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}
