package tokenizer

import "strings"

const (
	maxWords     = 1 << 15 // that a cache holds
	maxWordBytes = 64      // of a word worth keeping
)

// wordCache keeps the tokens of words that came before. It belongs to one goroutine at a time. When it is full it is emptied: words that
// are frequent are soon there again.
type wordCache struct {
	words  map[string]cached
	tokens []token
}

type cached struct{ lo, hi int32 } // in tokens

// find returns the tokens of word, nil where it is not kept.
func (c *wordCache) find(word string) []token {
	w, ok := c.words[word]
	if !ok {
		return nil
	}
	return c.tokens[w.lo:w.hi:w.hi]
}

func (c *wordCache) keep(word string, tokens []token) {
	if len(word) > maxWordBytes || len(tokens) == 0 {
		return
	}
	if c.words == nil {
		c.words = map[string]cached{}
	}
	if len(c.words) >= maxWords {
		clear(c.words)
		c.tokens = c.tokens[:0]
	}
	lo := len(c.tokens)
	c.tokens = append(c.tokens, tokens...)
	c.words[strings.Clone(word)] = cached{int32(lo), int32(len(c.tokens))}
}
