package serving

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"
)

// sequence is a request on its way: a prompt and what was written behind it.
type sequence struct {
	Request
	ctx     context.Context
	arrived time.Time
	out     mailbox
	gone    atomic.Bool // nobody reads any more

	tokens []int // the prompt and what follows
	read   int   // how many of them the cache holds
	blocks []int // where it holds them
	n      int   // how many the step at hand reads; 0: the sequence waits
	joined bool  // has been among those that are written
}

// unread returns how many tokens the model has to read before it tells the next one: the prompt, then one each time, or all again once blocks were taken away.
func (q *sequence) unread() int { return len(q.tokens) - q.read }

// slot returns where the pages hold a position.
func (q *sequence) slot(p int) int { return q.blocks[p/blockSize]*blockSize + p%blockSize }

// oldest returns the first position that the next token sees through a window.
func (q *sequence) oldest(window int) int {
	if window == 0 {
		return 0
	}
	return max(0, q.read-window+1)
}

// written returns how many tokens were added to the prompt.
func (q *sequence) written() int { return len(q.tokens) - len(q.Prompt) }

// Token is a token that was written.
type Token struct {
	ID        int
	LogProb   float64  // the logarithm of the probability that the model gives it, before a sampler changes scores; where it was asked for
	Likeliest []Scored // the likeliest tokens in its place, as many as were asked for
}

// Scored is a token with the logarithm of its probability.
type Scored struct {
	ID      int
	LogProb float64
}

// mailbox holds what was written until it is read, so that the engine never waits for who reads. A request's MaxTokens bounds it.
type mailbox struct {
	news chan struct{} // holds one

	mu     sync.Mutex
	tokens []Token
	ended  bool
	err    error
}

func (m *mailbox) put(t Token) {
	m.mu.Lock()
	m.tokens = append(m.tokens, t)
	m.mu.Unlock()
	m.tell()
}

// end closes the box; the first reason counts.
func (m *mailbox) end(err error) {
	m.mu.Lock()
	if !m.ended {
		m.ended, m.err = true, err
	}
	m.mu.Unlock()
	m.tell()
}

func (m *mailbox) tell() {
	select {
	case m.news <- struct{}{}:
	default:
	}
}

// take empties the box, and reports whether nothing will come any more.
func (m *mailbox) take() (tokens []Token, ended bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tokens, m.tokens = m.tokens, nil
	return tokens, m.ended, m.err
}

// all yields the tokens as they are written. Who stops early gives the sequence up.
func (q *sequence) all() iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		defer q.gone.Store(true)
		for {
			tokens, ended, err := q.out.take()
			for _, t := range tokens {
				if !yield(t, nil) {
					return
				}
			}
			if ended {
				if err != nil {
					yield(Token{}, err)
				}
				return
			}
			select {
			case <-q.out.news:
			case <-q.ctx.Done():
				yield(Token{}, q.ctx.Err())
				return
			}
		}
	}
}
