package tokenizer

import "slices"

// Encoding is what a text became, an entry for each token.
type Encoding struct {
	IDs               []int
	TypeIDs           []int    // 0 for the first text and 1 for the second of a pair, as the tokenizer's template has it
	Tokens            []string // as the vocabulary writes them
	Offsets           []Offset // the bytes of the text, or of the second text of a pair; {0, 0} for what the tokenizer added
	SpecialTokensMask []int    // 1 for what the tokenizer added, padding too
	AttentionMask     []int    // 0 for padding
	// Overflowing are the parts that truncation cut off, each as long as this one, with Stride tokens of the one before.
	Overflowing []*Encoding

	source string // the text, while post-processors need it
}

// Len returns the number of tokens.
func (e *Encoding) Len() int { return len(e.IDs) }

func (e *Encoding) add(id int, token string, o Offset) {
	e.IDs = append(e.IDs, id)
	e.Tokens = append(e.Tokens, token)
	e.Offsets = append(e.Offsets, o)
}

// fill makes the lists that are the same for all tokens.
func (e *Encoding) fill(typeID, special, attention int) {
	n := e.Len()
	e.TypeIDs = repeated(typeID, n)
	e.SpecialTokensMask = repeated(special, n)
	e.AttentionMask = repeated(attention, n)
}

func repeated(x, n int) []int {
	list := make([]int, n)
	if x != 0 {
		for i := range list {
			list[i] = x
		}
	}
	return list
}

func (e *Encoding) setType(id int) {
	e.TypeIDs = repeated(id, e.Len())
}

func (e *Encoding) clone() *Encoding {
	return &Encoding{
		IDs: slices.Clone(e.IDs), TypeIDs: slices.Clone(e.TypeIDs), Tokens: slices.Clone(e.Tokens), Offsets: slices.Clone(e.Offsets),
		SpecialTokensMask: slices.Clone(e.SpecialTokensMask), AttentionMask: slices.Clone(e.AttentionMask), Overflowing: e.Overflowing, source: e.source,
	}
}

// slice returns the tokens from lo to hi.
func (e *Encoding) slice(lo, hi int) *Encoding {
	return &Encoding{
		IDs: slices.Clone(e.IDs[lo:hi]), TypeIDs: slices.Clone(e.TypeIDs[lo:hi]), Tokens: slices.Clone(e.Tokens[lo:hi]),
		Offsets: slices.Clone(e.Offsets[lo:hi]), SpecialTokensMask: slices.Clone(e.SpecialTokensMask[lo:hi]),
		AttentionMask: slices.Clone(e.AttentionMask[lo:hi]), source: e.source,
	}
}

// join adds o behind e. What overflows of either is joined with the other and with what overflows of that.
func (e *Encoding) join(o *Encoding) {
	var over []*Encoding
	joined := func(a, b *Encoding) {
		c := a.clone()
		c.Overflowing = nil
		c.join(&Encoding{IDs: b.IDs, TypeIDs: b.TypeIDs, Tokens: b.Tokens, Offsets: b.Offsets,
			SpecialTokensMask: b.SpecialTokensMask, AttentionMask: b.AttentionMask})
		over = append(over, c)
	}
	for _, mine := range e.Overflowing {
		joined(mine, o)
		for _, other := range o.Overflowing {
			joined(mine, other)
		}
	}
	for _, other := range o.Overflowing {
		joined(e, other)
	}
	e.IDs = append(e.IDs, o.IDs...)
	e.TypeIDs = append(e.TypeIDs, o.TypeIDs...)
	e.Tokens = append(e.Tokens, o.Tokens...)
	e.Offsets = append(e.Offsets, o.Offsets...)
	e.SpecialTokensMask = append(e.SpecialTokensMask, o.SpecialTokensMask...)
	e.AttentionMask = append(e.AttentionMask, o.AttentionMask...)
	e.Overflowing = over
}

// padded brings e and what overflows of it to length tokens.
func (e *Encoding) pad(length int, p *Padding) {
	for _, o := range e.Overflowing {
		o.pad(length, p)
	}
	n := length - e.Len()
	if n <= 0 {
		return
	}
	e.IDs = padded(e.IDs, n, p.ID, p.Left)
	e.TypeIDs = padded(e.TypeIDs, n, p.TypeID, p.Left)
	e.Tokens = padded(e.Tokens, n, p.Token, p.Left)
	e.Offsets = padded(e.Offsets, n, Offset{}, p.Left)
	e.SpecialTokensMask = padded(e.SpecialTokensMask, n, 1, p.Left)
	e.AttentionMask = padded(e.AttentionMask, n, 0, p.Left)
}

func padded[T any](list []T, n int, x T, left bool) []T {
	pad := slices.Repeat([]T{x}, n)
	if left {
		return append(pad, list...)
	}
	return append(list, pad...)
}
