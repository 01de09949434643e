// Package serving writes on from many texts at once: requests join and leave between steps, all that are under way are computed together, and their keys and
// values lie in pages, so that memory goes to tokens that are there. What a request gets does not depend on the others.
package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"cresset/internal/par"
	"cresset/models"
	"cresset/nn"
	"cresset/tensor"
	"cresset/text/generation"
)

// Options are the limits of an Engine; for those that are 0 the defaults stand in brackets.
type Options struct {
	Sequences   int           // texts that are written at once [32]
	StepTokens  int           // tokens that a step reads: longer prompts are read in several steps, between which others are written [256]
	Queue       int           // requests that wait for others to end [256]
	Wait        time.Duration // the longest wait [no limit]
	Compile     bool          // each step in which all texts get a token is compiled: see tensor.Compile; texts and keys are rounded up to powers of 2
	Graph       bool          // a GPU does each step in which all texts get a token by one launch: see cuda.Capture; texts and keys are rounded up to powers of 2
	CacheTokens int           // tokens of all texts whose keys and values are kept [Sequences texts of all positions, or as many as fit in 1 GiB]
}

const defaultCache = 1 << 30 // bytes

// Request is a text to go on from.
type Request struct {
	Prompt []int
	generation.Options
	LogProbs  bool // tell the probabilities of tokens
	Likeliest int  // tell those of as many of the likeliest tokens in their places
}

// Errors of requests for which there is no room.
var (
	ErrBusy   = errors.New("too many requests are waiting")
	ErrWaited = errors.New("the request has waited too long")
	ErrClosed = errors.New("the engine takes no more requests")
)

// RequestError is a request that no engine of this model can take.
type RequestError struct{ Problem string }

func (e *RequestError) Error() string { return e.Problem }

// Engine writes with one model. Goroutines may share it.
type Engine struct {
	model     models.Decoder
	positions int
	shape     *shape
	pages     *pages
	fixed     *fixedSteps // nil: steps are issued op by op
	o         Options
	ended     sync.WaitGroup

	mu      sync.Mutex
	work    sync.Cond
	plan    scheduler
	closed  bool
	counted Stats
}

// Stats are what an engine has done and does.
type Stats struct {
	Running, Waiting        int // requests
	CacheTokens, CacheInUse int // room of the cache, in tokens
	CacheBytes              int
	Read, Written           int // tokens, in all
	Steps                   int
	Evicted                 int // how often a text lost its room to those that came before it, and was read again later
}

// New starts an engine. The model is used as it is: nn.Eval leaves its dropouts out. Close ends the engine.
func New(m models.Decoder, o Options) (*Engine, error) {
	e := &Engine{model: nn.Frozen(m), positions: m.MaxPositions()}
	var err error
	if e.shape, err = measure(e.model); err != nil {
		return nil, err
	}
	o.Sequences, o.StepTokens, o.Queue = cmp.Or(o.Sequences, 32), cmp.Or(o.StepTokens, 256), cmp.Or(o.Queue, 256)
	if o.CacheTokens == 0 {
		o.CacheTokens = min(o.Sequences*blocksFor(e.positions)*blockSize, defaultCache/e.shape.bytes())
	}
	switch {
	case o.CacheTokens < blockSize:
		return nil, fmt.Errorf("the cache needs room for a block of %d tokens at least, not for %d", blockSize, o.CacheTokens)
	case o.Sequences < 1 || o.StepTokens < 1 || o.Queue < 1:
		return nil, fmt.Errorf("an engine needs at least one sequence, one token a step and one place to wait, not %d, %d and %d", o.Sequences, o.StepTokens, o.Queue)
	}
	e.o = o
	e.plan = scheduler{pool: newPool(o.CacheTokens / blockSize), most: o.Sequences, budget: o.StepTokens}
	blocks := e.plan.pool.total
	if e.fixed, err = newFixedSteps(o, e.shape.device); err != nil {
		return nil, err
	}
	if e.fixed != nil {
		blocks++ // for rows of a step that have no sequence
	}
	if e.pages, err = newPages(e.shape, blocks); err != nil {
		return nil, err
	}
	e.work.L = &e.mu
	e.ended.Go(e.run)
	return e, nil
}

// Room returns how many tokens can follow a prompt of some tokens.
func (e *Engine) Room(prompt int) int {
	return max(0, min(e.positions, e.plan.pool.total*blockSize)+1-prompt)
}

// Vocabulary returns how many tokens the model knows.
func (e *Engine) Vocabulary() int { return e.shape.vocabulary }

// Write takes a request and returns the tokens that follow its prompt, as they are written; MaxTokens of 0 stands for as many as there is room for. The tokens have to be
// ranged over, or ctx has to end: until then the request goes on. Errors are a *RequestError, ErrBusy, ErrClosed, and while it is under way ErrWaited, the end of ctx, or
// the model's.
func (e *Engine) Write(ctx context.Context, r Request) (iter.Seq2[Token, error], error) {
	if err := e.check(&r); err != nil {
		return nil, err
	}
	q := &sequence{Request: r, ctx: ctx, arrived: time.Now(), tokens: slices.Clone(r.Prompt), out: mailbox{news: make(chan struct{}, 1)}}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return nil, ErrClosed
	case len(e.plan.waiting) >= e.o.Queue:
		return nil, ErrBusy
	}
	e.plan.waiting = append(e.plan.waiting, q)
	e.work.Signal()
	return q.all(), nil
}

// check refuses what would fail, and settles how many tokens are written.
func (e *Engine) check(r *Request) error {
	for _, id := range r.Prompt {
		if id < 0 || id >= e.shape.vocabulary {
			return &RequestError{fmt.Sprintf("token %d is not among the %d that the model knows", id, e.shape.vocabulary)}
		}
	}
	room := e.Room(len(r.Prompt))
	switch {
	case len(r.Prompt) == 0:
		return &RequestError{"the prompt has no tokens: there is nothing to go on from"}
	case room == 0 || r.MaxTokens > room:
		return &RequestError{fmt.Sprintf("a prompt of %d tokens and %d that follow, and there is room for %d", len(r.Prompt), r.MaxTokens, e.Room(0)-1)}
	case r.MaxTokens <= 0:
		r.MaxTokens = room
	}
	return nil
}

// Close takes no more requests, and returns when those that are under way have ended.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.work.Signal()
	e.mu.Unlock()
	e.ended.Wait()
	e.fixed.close()
}

// Stats returns the engine's figures.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.counted
	p := e.plan.pool
	s.Running, s.Waiting, s.Evicted = len(e.plan.running), len(e.plan.waiting), e.plan.evicted
	s.CacheTokens, s.CacheInUse = p.total*blockSize, (p.total-len(p.free))*blockSize
	s.CacheBytes = s.CacheTokens * e.shape.bytes()
	return s
}

// run makes steps as long as there are requests or can be.
func (e *Engine) run() {
	for {
		e.mu.Lock()
		for !e.closed && len(e.plan.waiting)+len(e.plan.running) == 0 {
			e.work.Wait()
		}
		e.plan.drop(abandoned)
		batch := e.plan.plan()
		e.plan.drop(e.late)
		done := e.closed && len(e.plan.waiting)+len(e.plan.running) == 0
		e.mu.Unlock()
		if done {
			return
		}
		if len(batch) > 0 {
			e.step(batch)
		}
	}
}

// abandoned reports whether nobody waits for a sequence any more.
func abandoned(q *sequence) (error, bool) {
	err := q.ctx.Err()
	return err, err != nil || q.gone.Load()
}

// late reports whether a sequence that could not join has waited too long.
func (e *Engine) late(q *sequence) (error, bool) {
	return ErrWaited, e.o.Wait > 0 && !q.joined && time.Since(q.arrived) > e.o.Wait
}

// step reads the next tokens of a batch and writes those that follow. A model that fails ends the requests of the batch, not the engine.
func (e *Engine) step(batch []*sequence) {
	var scores map[*sequence][]float32
	failed := tensor.Try(func() { scores = e.compute(batch) })
	wrote, ends := make([]bool, len(batch)), make([]bool, len(batch))
	errs := slices.Repeat([]error{failed}, len(batch))
	par.Do(len(batch), func(i int) {
		q := batch[i]
		if q.read += q.n; failed == nil && q.unread() == 0 {
			ends[i], errs[i] = q.write(scores[q])
			wrote[i] = errs[i] == nil
		}
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counted.Steps++
	for i, q := range batch {
		e.counted.Read += q.n
		if wrote[i] {
			e.counted.Written++
		}
	}
	e.plan.drop(func(q *sequence) (error, bool) {
		i := slices.Index(batch, q)
		if i < 0 {
			return nil, false
		}
		return errs[i], ends[i] || errs[i] != nil
	})
}
