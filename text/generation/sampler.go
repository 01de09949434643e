package generation

import (
	"math"
	"slices"

	"cresset/tensor"
)

// Sampler chooses the next token by the scores of all tokens. Its zero value takes the likeliest one. Scores are changed in the order of the fields, as in transformers.
type Sampler struct {
	RepetitionPenalty float64 // divides positive scores of tokens that are there already, and multiplies negative ones; 0 and 1 leave them
	Temperature       float64 // divides scores; 0 takes the likeliest token and leaves out what follows
	TopK              int     // keeps as many of the likeliest tokens; 0 keeps all
	TopP              float64 // keeps the likeliest tokens whose probabilities first add up to it; 0 and 1 keep all
	MinP              float64 // keeps tokens of at least this share of the greatest probability; 0 keeps all

	// Generator draws; nil is that of the CPU, which tensor.ManualSeed seeds. The draw is that of torch.multinomial.
	Generator *tensor.Generator
}

// Next returns the token that follows others, by its scores, which it may change.
func (s *Sampler) Next(scores []float32, tokens []int) int {
	s.penalize(scores, tokens)
	if s.Temperature == 0 {
		return likeliest(scores)
	}
	return s.draw(s.Probabilities(scores))
}

// Probabilities returns with which probabilities tokens are drawn by their scores, which it changes.
func (s *Sampler) Probabilities(scores []float32) []float64 {
	for i := range scores {
		scores[i] /= float32(s.Temperature)
	}
	s.keepTopK(scores)
	s.keepTopP(scores)
	s.keepMinP(scores)
	return softmax(scores)
}

// penalize makes tokens that are there already less likely.
func (s *Sampler) penalize(scores []float32, tokens []int) {
	p := float32(s.RepetitionPenalty)
	if p == 0 || p == 1 {
		return
	}
	seen := make(map[int]bool, len(tokens))
	for _, t := range tokens {
		if t < 0 || t >= len(scores) || seen[t] {
			continue
		}
		seen[t] = true
		if scores[t] < 0 {
			scores[t] *= p
		} else {
			scores[t] /= p
		}
	}
}

var never = float32(math.Inf(-1))

// keepTopK drops scores below the k-th greatest.
func (s *Sampler) keepTopK(scores []float32) {
	if s.TopK <= 0 || s.TopK >= len(scores) {
		return
	}
	top := slices.Clone(scores[:s.TopK]) // the greatest so far, in a heap: the least stands first
	slices.Sort(top)
	for _, v := range scores[s.TopK:] {
		if v > top[0] {
			top[0] = v
			sink(top)
		}
	}
	drop(scores, top[0])
}

// sink restores a heap whose first element has grown.
func sink(heap []float32) {
	for at := 0; ; {
		child := 2*at + 1
		if child+1 < len(heap) && heap[child+1] < heap[child] {
			child++
		}
		if child >= len(heap) || heap[at] <= heap[child] {
			return
		}
		heap[at], heap[child] = heap[child], heap[at]
		at = child
	}
}

// keepTopP drops the least likely tokens, as many as have 1 - p or less of the probability together.
func (s *Sampler) keepTopP(scores []float32) {
	if s.TopP <= 0 || s.TopP >= 1 {
		return
	}
	order := ascending(scores)
	probabilities, sum := softmax(scores), 0.0
	for _, i := range order[:max(0, len(order)-1)] { // the likeliest one stays
		if sum += probabilities[uint32(i)]; sum > 1-s.TopP {
			return
		}
		scores[uint32(i)] = never
	}
}

// ascending returns the places of scores that are not yet dropped in their low 32 bits, the least score first, and of equal ones the first. In the high bits stands
// what sorts like the score: its bits, of which a negative number's are turned round.
func ascending(scores []float32) []uint64 {
	order := make([]uint64, 0, len(scores))
	for i, v := range scores {
		if v == never {
			continue
		}
		bits := math.Float32bits(v + 0) // of zeros the positive one
		if bits>>31 != 0 {
			bits = ^bits
		} else {
			bits |= 1 << 31
		}
		order = append(order, uint64(bits)<<32|uint64(i))
	}
	slices.Sort(order)
	return order
}

// keepMinP drops tokens that are much less likely than the likeliest.
func (s *Sampler) keepMinP(scores []float32) {
	if s.MinP > 0 {
		drop(scores, slices.Max(scores)+float32(math.Log(s.MinP)))
	}
}

// drop makes tokens with scores below a bound impossible.
func drop(scores []float32, bound float32) {
	for i, v := range scores {
		if v < bound {
			scores[i] = never
		}
	}
}

func softmax(scores []float32) []float64 {
	most, sum := float64(slices.Max(scores)), 0.0
	p := make([]float64, len(scores))
	for i, v := range scores {
		p[i] = math.Exp(float64(v) - most)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// likeliest returns the first token of the greatest score.
func likeliest(scores []float32) int {
	best := 0
	for i, v := range scores {
		if v > scores[best] {
			best = i
		}
	}
	return best
}

// draw returns a token by its probability.
func (s *Sampler) draw(probabilities []float64) int {
	p := make([]float32, len(probabilities))
	for i, v := range probabilities {
		p[i] = float32(v)
	}
	var opts []tensor.MultinomialOption
	if s.Generator != nil {
		opts = append(opts, s.Generator)
	}
	return int(tensor.Data[int64](tensor.FromSlice(p, len(p)).Multinomial(1, opts...))[0])
}
