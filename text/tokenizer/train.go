package tokenizer

import (
	"bytes"
	"cmp"
	"container/heap"
	"slices"
)

// TrainOption is an option of Train.
type TrainOption interface{ train(*trainSettings) }

type trainSettings struct {
	special  []string
	minCount int
}

type trainOption func(*trainSettings)

func (f trainOption) train(s *trainSettings) { f(s) }

// SpecialTokens are tokens that stand for no text, such as <|endoftext|>; they get the first ids.
func SpecialTokens(tokens ...string) TrainOption {
	return trainOption(func(s *trainSettings) { s.special = append(s.special, tokens...) })
}

// MinFrequency is how often a pair has to come in the text to become a token; 0 unless told.
func MinFrequency(n int) TrainOption {
	return trainOption(func(s *trainSettings) { s.minCount = n })
}

// Train returns a tokenizer of bytes, split into words as GPT-2's is, with vocabSize tokens: the special ones, the 256 bytes, and the pairs
// that are most frequent in text, joined one after the other, of equally frequent ones that of the lower ids first. It has fewer where
// the text has no more pairs. The same text gives the same tokenizer, which is that of tokenizers' BpeTrainer.
func Train(text string, vocabSize int, opts ...TrainOption) (*Tokenizer, error) {
	var s trainSettings
	for _, o := range opts {
		o.train(&s)
	}
	tr := &trainer{ids: map[string]int32{}, counts: map[[2]int32]int{}}
	for _, t := range s.special {
		tr.add(t)
	}
	alphabet := slices.Clone(byteRunes[:])
	slices.Sort(alphabet)
	for _, r := range alphabet {
		tr.add(string(r))
	}
	if vocabSize < len(tr.tokens) {
		return nil, &Error{Part: "training", Problem: "the vocabulary is smaller than the special tokens and the 256 bytes"}
	}
	if err := tr.read(newPiece(text).text); err != nil {
		return nil, err
	}
	merges := tr.merges(vocabSize, s.minCount)
	f := byteLevelFile(false)
	f.Model = tr.model(merges)
	for id, t := range s.special {
		if tr.ids[t] == int32(id) {
			f.AddedTokens = append(f.AddedTokens, addedToken{ID: id, Content: t, Special: true})
		}
	}
	return f.tokenizer()
}

type trainer struct {
	ids    map[string]int32
	tokens []string
	words  [][]int32
	times  []int // that each word comes
	counts map[[2]int32]int
	queue  pairQueue
}

func (tr *trainer) add(token string) int32 {
	id, ok := tr.ids[token]
	if !ok {
		id = int32(len(tr.tokens))
		tr.ids[token] = id
		tr.tokens = append(tr.tokens, token)
	}
	return id
}

// read counts the words of text and the pairs in them.
func (tr *trainer) read(text string) error {
	words, err := newExpression(gpt2Words)
	if err != nil {
		return err
	}
	index := map[string]int{}
	err = words.find(text, func(lo, hi int, _ bool) {
		word := text[lo:hi]
		i, ok := index[word]
		if !ok {
			i = len(tr.words)
			index[word] = i
			symbols := make([]int32, len(word))
			for k := range symbols {
				symbols[k] = tr.ids[string(byteRunes[word[k]])]
			}
			tr.words, tr.times = append(tr.words, symbols), append(tr.times, 0)
		}
		tr.times[i]++
	})
	if err != nil {
		return err
	}
	places := map[[2]int32][]int{}
	for i, w := range tr.words {
		for k := range len(w) - 1 {
			pair := [2]int32{w[k], w[k+1]}
			tr.counts[pair] += tr.times[i]
			places[pair] = appendNew(places[pair], i)
		}
	}
	tr.enqueue(places)
	return nil
}

// appendNew adds the number of a word, which come in order, if it is not the last already.
func appendNew(list []int, i int) []int {
	if n := len(list); n > 0 && list[n-1] == i {
		return list
	}
	return append(list, i)
}

func (tr *trainer) enqueue(places map[[2]int32][]int) {
	for pair, words := range places {
		if n := tr.counts[pair]; n > 0 {
			heap.Push(&tr.queue, pairCount{pair, n, words})
		}
	}
}

// merges joins the most frequent pairs until there are vocabSize tokens, and returns them in order.
func (tr *trainer) merges(vocabSize, minCount int) [][2]int32 {
	var merges [][2]int32
	for len(tr.tokens) < vocabSize && len(tr.queue) > 0 {
		top := heap.Pop(&tr.queue).(pairCount)
		if n := tr.counts[top.pair]; n != top.count {
			if top.count = n; n > 0 {
				heap.Push(&tr.queue, top)
			}
			continue
		}
		if top.count < minCount {
			break
		}
		merges = append(merges, top.pair)
		tr.join(top, tr.add(tr.tokens[top.pair[0]]+tr.tokens[top.pair[1]]))
	}
	return merges
}

// join makes one token of a pair in all words that have it, and counts the pairs that come and go.
func (tr *trainer) join(p pairCount, id int32) {
	places := map[[2]int32][]int{}
	for _, i := range p.words {
		w := tr.words[i]
		change := func(a, b int32, by int) {
			pair := [2]int32{a, b}
			tr.counts[pair] += by * tr.times[i]
			if by > 0 {
				places[pair] = appendNew(places[pair], i)
			}
		}
		out := w[:0]
		for k := 0; k < len(w); k++ {
			if k+1 >= len(w) || w[k] != p.pair[0] || w[k+1] != p.pair[1] {
				out = append(out, w[k])
				continue
			}
			if n := len(out); n > 0 {
				change(out[n-1], p.pair[0], -1)
				change(out[n-1], id, 1)
			}
			if k+2 < len(w) {
				change(p.pair[1], w[k+2], -1)
				change(id, w[k+2], 1)
			}
			out = append(out, id)
			k++
		}
		tr.words[i] = out
	}
	tr.enqueue(places)
}

// model writes the model as tokenizer.json does, tokens in the order of their ids.
func (tr *trainer) model(merges [][2]int32) []byte {
	var b bytes.Buffer
	b.WriteString(`{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,"byte_fallback":false,"ignore_merges":false,"vocab":{`)
	for id, t := range tr.tokens {
		if id > 0 {
			b.WriteByte(',')
		}
		b.Write(raw(t))
		b.WriteByte(':')
		b.Write(raw(id))
	}
	b.WriteString(`},"merges":[`)
	for i, m := range merges {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(raw([2]string{tr.tokens[m[0]], tr.tokens[m[1]]}))
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// pairCount is a pair of tokens, how often it comes, and words in which it does.
type pairCount struct {
	pair  [2]int32
	count int
	words []int
}

// pairQueue is a heap of pairs, the most frequent first.
type pairQueue []pairCount

func (q pairQueue) Len() int      { return len(q) }
func (q pairQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *pairQueue) Push(x any)   { *q = append(*q, x.(pairCount)) }
func (q pairQueue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[j].count, q[i].count), slices.Compare(q[i].pair[:], q[j].pair[:])) < 0
}

func (q *pairQueue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
