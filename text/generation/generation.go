// Package generation writes on from texts, token by token.
package generation

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"cresset/models"
	"cresset/nn"
	"cresset/tensor"
)

// Options say how far a text goes on, and how tokens are chosen.
type Options struct {
	Sampler
	MaxTokens int   // how many are added to each text; 0 for as many as the model has positions for
	End       []int // a text ends behind one of these
	Rolling   bool  // MaxTokens and prompts may exceed the model's positions: when all are taken, it reads the last half of the tokens anew
	Compile   bool  // each step behind the prompts is compiled, with keys and values in a nn.StaticKVCache: see tensor.Compile
	Graph     bool  // a GPU does each step behind the prompts by one launch, with keys and values in a nn.StaticKVCache: see cuda.Capture
}

// Ended stands where a text has ended before others.
const Ended = -1

// Tokens yields the tokens that follow prompts, one of each at a time, until all have ended; Ended stands for those that have. The prompts are read
// as one batch, each by itself. A model's mistake or the end of ctx is an error, behind which nothing comes. The model is used as it is: nn.Eval leaves
// its dropouts out.
func Tokens(ctx context.Context, m models.Decoder, prompts [][]int, o Options) iter.Seq2[[]int, error] {
	return func(yield func([]int, error) bool) {
		g, err := begin(m, prompts, o)
		if err != nil {
			yield(nil, err)
			return
		}
		defer g.reader.close()
		for !g.done() {
			var next []int
			err := ctx.Err()
			if err == nil {
				err = tensor.Try(func() { next = g.step() })
			}
			if !yield(next, err) || err != nil {
				return
			}
		}
	}
}

// run is a batch of texts that go on.
type run struct {
	Options
	reader reader
	most   int // positions of the model
	texts  [][]int
	next   [][]int // what the model has not read yet, padded on the left to one length
	ended  []bool
	added  int
}

func begin(m models.Decoder, prompts [][]int, o Options) (*run, error) {
	longest := 0
	for i, p := range prompts {
		if len(p) == 0 {
			return nil, fmt.Errorf("prompt %d has no tokens: there is nothing to go on from", i)
		}
		longest = max(longest, len(p))
	}
	switch most := m.MaxPositions(); {
	case len(prompts) == 0:
		return nil, errors.New("there is no prompt")
	case longest > most && !o.Rolling:
		return nil, fmt.Errorf("a prompt of %d tokens, and the model reads %d at most", longest, most)
	case o.MaxTokens <= 0 || o.MaxTokens > most+1-longest && !o.Rolling:
		o.MaxTokens = max(most+1-longest, 1)
	}
	g := &run{Options: o, most: m.MaxPositions(), ended: make([]bool, len(prompts))}
	var err error
	if g.reader, err = newReader(nn.Frozen(m), len(prompts), min(longest+o.MaxTokens, g.most), o); err != nil {
		return nil, err
	}
	for _, p := range prompts {
		g.texts = append(g.texts, slices.Clone(p))
	}
	g.readAgain(min(longest, g.most))
	return g, nil
}

// readAgain forgets what the model has read; it will read the last n tokens of each text, which may have fewer.
func (g *run) readAgain(n int) {
	padding := make([]int, len(g.texts))
	g.next = make([][]int, len(g.texts))
	for i, t := range g.texts {
		padding[i] = max(0, n-len(t))
		g.next[i] = append(make([]int, padding[i]), t[max(0, len(t)-n):]...)
	}
	g.reader.forget(padding)
}

func (g *run) done() bool {
	return !slices.Contains(g.ended, false) || g.added >= g.MaxTokens
}

// step reads the last tokens and returns those that follow.
func (g *run) step() []int {
	if g.reader.length()+len(g.next[0]) > g.most {
		g.readAgain((g.most + 1) / 2)
	}
	scores := g.reader.read(g.next)
	vocabulary, chosen := len(scores)/len(g.texts), make([]int, len(g.texts))
	for i := range g.texts {
		if g.ended[i] {
			chosen[i], g.next[i] = Ended, []int{0}
			continue
		}
		t := g.Next(scores[i*vocabulary:][:vocabulary], g.texts[i])
		chosen[i], g.next[i] = t, []int{t}
		g.texts[i] = append(g.texts[i], t)
		g.ended[i] = slices.Contains(g.End, t)
	}
	g.added++
	return chosen
}
