package serving

import (
	"cmp"
	"math"
	"slices"

	"cresset/tensor"
)

// compute reads the next tokens of a batch and returns the scores of those that follow each sequence.
func (e *Engine) compute(batch []*sequence) map[*sequence][]float32 {
	if e.fixed != nil && decodes(batch) {
		return e.decode(batch)
	}
	scope := tensor.NewScope()
	defer scope.Close()
	s := newStep(e.pages, scope, batch)
	ids := s.enter(tensor.FromSlice(s.tokens, 1, len(s.tokens)))
	return e.rows(s.sequences, e.model.Read(ids, s).Float())
}

// rows returns the scores [1, sequences or more, vocabulary] of each sequence.
func (e *Engine) rows(sequences []*sequence, of *tensor.Tensor) map[*sequence][]float32 {
	all := slices.Clone(tensor.Data[float32](of.CPU().Contiguous()))
	scores := make(map[*sequence][]float32, len(sequences))
	for i, q := range sequences {
		scores[q] = all[i*e.shape.vocabulary:][:e.shape.vocabulary]
	}
	return scores
}

// write chooses the token that follows by the scores of all, and reports whether the text has ended.
func (q *sequence) write(scores []float32) (ended bool, err error) {
	var t Token
	var logProbs []float64
	if q.LogProbs {
		logProbs = logSoftmax(scores) // first, as the sampler changes scores
		t.Likeliest = likeliest(logProbs, q.Likeliest)
	}
	if err := tensor.Try(func() { t.ID = q.Next(scores, q.tokens) }); err != nil {
		return true, err
	}
	if q.LogProbs {
		t.LogProb = logProbs[t.ID]
	}
	q.tokens = append(q.tokens, t.ID)
	q.out.put(t)
	return q.written() == q.MaxTokens || slices.Contains(q.End, t.ID), nil
}

// logSoftmax returns the logarithms of the probabilities of all tokens.
func logSoftmax(scores []float32) []float64 {
	most, sum := float64(slices.Max(scores)), 0.0
	for _, v := range scores {
		sum += math.Exp(float64(v) - most)
	}
	logs, normal := make([]float64, len(scores)), most+math.Log(sum)
	for i, v := range scores {
		logs[i] = float64(v) - normal
	}
	return logs
}

// likeliest returns n tokens of the greatest probabilities, the greatest first; of equal ones the first come first.
func likeliest(logProbs []float64, n int) []Scored {
	top := make([]Scored, 0, n+1)
	for id, v := range logProbs {
		if n == 0 || len(top) == n && v <= top[n-1].LogProb {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, v, func(s Scored, v float64) int { return cmp.Or(cmp.Compare(v, s.LogProb), -1) })
		top = slices.Insert(top, at, Scored{id, v})
		top = top[:min(len(top), n)]
	}
	return top
}
