package serve

import (
	"context"
	"iter"
	"slices"
	"sync"

	"cresset/tensor"
	"cresset/text/generation"
	"cresset/text/serving"
)

// choice is one of the texts that a request asks for.
type choice struct {
	index    int
	prompt   []int
	end      []int
	logProbs bool
	tokens   iter.Seq2[serving.Token, error]
	writer   *generation.Writer
}

// event is what a step adds to a choice.
type event struct {
	choice *choice
	text   string
	tokens int             // how many
	scored []serving.Token // those tokens, where probabilities are asked for, but one that ends the text
	reason string          // why the text has ended: stop or length; "": it goes on
	err    error
}

// events yields what is written, until the text has ended or failed.
func (c *choice) events() iter.Seq[event] {
	return func(yield func(event) bool) {
		for t, err := range c.tokens {
			if err != nil {
				yield(event{choice: c, err: err})
				return
			}
			piece, err := c.writer.Step(t.ID, c.end...)
			e := event{choice: c, text: piece.Text, tokens: 1, err: err}
			if c.logProbs && !slices.Contains(c.end, t.ID) {
				e.scored = []serving.Token{t}
			}
			if piece.Ended {
				e.reason = "stop"
			}
			if !yield(e) || piece.Ended || err != nil {
				return
			}
		}
		piece, err := c.writer.Finish()
		yield(event{choice: c, text: piece.Text, reason: "length", err: err})
	}
}

// together yields the events of several choices as they come. Those of each are in order. Cancel ends the choices; it is called where nobody wants further events.
func together(cancel context.CancelFunc, choices []*choice) iter.Seq[event] {
	return func(yield func(event) bool) {
		out, left := make(chan event), make(chan struct{})
		var writers sync.WaitGroup
		for _, c := range choices {
			writers.Go(func() {
				for e := range c.events() {
					select {
					case out <- e:
					case <-left:
						return
					}
				}
			})
		}
		go func() {
			writers.Wait()
			close(out)
		}()
		defer func() {
			cancel()
			close(left)
			for range out { // until all have ended
			}
		}()
		for e := range out {
			if !yield(e) {
				return
			}
		}
	}
}

// start asks the engine for texts behind prompts. All of them are taken, or none is. The first text behind each prompt is drawn by the request's seed, and each other by the next.
func (s *Server) start(ctx context.Context, job *job) ([]*choice, error) {
	n := job.choices()
	seed := job.drawn()
	var choices []*choice
	for _, prompt := range job.prompts {
		for i := range n {
			o := job.options(s.Usual)
			o.MaxTokens = job.tokens
			o.Generator = tensor.NewGenerator(seed + int64(i))
			if o.MaxTokens == 0 {
				o.MaxTokens = s.most(len(prompt))
				if job.usual > 0 {
					o.MaxTokens = min(o.MaxTokens, job.usual)
				}
			}
			w, err := generation.NewWriter(s.Words, prompt, job.Stop...)
			if err != nil {
				return nil, err
			}
			tokens, err := s.Engine.Write(ctx, serving.Request{Prompt: prompt, Options: o, LogProbs: job.logProbs, Likeliest: job.likeliest})
			if err != nil {
				return nil, err
			}
			choices = append(choices, &choice{len(choices), prompt, o.End, job.logProbs, tokens, w})
		}
	}
	return choices, nil
}

// most returns how many tokens an answer to a prompt has at most.
func (s *Server) most(prompt int) int {
	room := s.Engine.Room(prompt)
	if s.Tokens > 0 {
		return min(room, s.Tokens)
	}
	return room
}
