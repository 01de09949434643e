package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"cresset/text/tokenizer"
)

// job is a request that has been understood.
type job struct {
	parameters
	form      form
	prompts   [][]int
	tokens    int // of each text at most; 0: usual ones, as far as there is room
	usual     int // 0: no limit
	logProbs  bool
	likeliest int
}

// run answers a job, at once or as it is written.
func (s *Server) run(w http.ResponseWriter, r *http.Request, j *job) error {
	if err := s.fit(j); err != nil {
		return err
	}
	asked := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), s.Time)
	defer cancel()
	choices, err := s.start(ctx, j)
	if err != nil {
		return err
	}
	a := &answer{server: s, job: j, id: newID(j.form), choices: choices, silence: s.Silence, asked: asked}
	events := together(cancel, choices)
	if j.Stream {
		return a.stream(w, events)
	}
	return a.whole(w, events)
}

// fit refuses prompts for which the model has no room.
func (s *Server) fit(j *job) error {
	if s.Tokens > 0 && j.tokens > s.Tokens {
		return bad("max_tokens", "max_tokens is too large: %d. This server supports at most %d completion tokens", j.tokens, s.Tokens)
	}
	most, vocabulary := s.Engine.Room(0)-1, s.Engine.Vocabulary()
	for _, p := range j.prompts {
		for _, id := range p {
			if id < 0 || id >= vocabulary {
				return bad("prompt", "Token %d is not among the %d that the model knows", id, vocabulary)
			}
		}
		switch room := s.Engine.Room(len(p)); {
		case len(p) == 0:
			return bad("prompt", "The prompt has no tokens: there is nothing to go on from")
		case room == 0 || j.tokens > room:
			text := tooLong(most, len(p)+j.tokens) + fmt.Sprintf(" (%d in the prompt, %d in the completion)", len(p), j.tokens)
			return &problem{http.StatusBadRequest, text, invalid, "prompt", "context_length_exceeded"}
		}
	}
	return nil
}

func tooLong(most, got int) string {
	return fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens", most, got)
}

// tokensOf returns the tokens of texts, or those that came as such.
func (s *Server) tokensOf(p prompts, opts ...tokenizer.Option) ([][]int, error) {
	if p.texts == nil {
		return p.tokens, nil
	}
	ids := make([][]int, len(p.texts))
	opts = append([]tokenizer.Option{tokenizer.Truncate(false), tokenizer.Pad(false)}, opts...)
	for i, text := range p.texts {
		e, err := s.Words.Encode(text, opts...)
		if err != nil {
			return nil, bad("prompt", "%v", err)
		}
		ids[i] = e.IDs
	}
	return ids, nil
}

// writes refuses to write with a model that cannot.
func (s *Server) writes(name string) error {
	err := s.known(name)
	if err == nil && s.Engine == nil {
		err = &problem{http.StatusNotFound, "`" + name + "` does not write texts; it makes embeddings", invalid, "model", "model_not_found"}
	}
	return err
}

// completion is a request for the text behind prompts.
type completion struct {
	parameters
	Prompt   prompts `json:"prompt"`
	LogProbs *int    `json:"logprobs"`
	Echo     bool    `json:"echo"`
	BestOf   *int    `json:"best_of"`
	Suffix   *string `json:"suffix"`
}

const (
	usualCompletion = 16 // tokens, as clients expect
	mostLogProbs    = 20
)

func (s *Server) complete(w http.ResponseWriter, r *http.Request) error {
	var c completion
	if err := s.read(w, r, &c); err != nil {
		return err
	}
	if err := s.writes(c.Model); err != nil {
		return err
	}
	if err := errors.Join(c.check(s.Choices), between("logprobs", c.LogProbs, 0, mostLogProbs)); err != nil {
		return err
	}
	switch {
	case c.Echo:
		return bad("echo", "'echo' is not supported by this server")
	case c.BestOf != nil && *c.BestOf != c.choices():
		return bad("best_of", "'best_of' is not supported by this server")
	case c.Suffix != nil && *c.Suffix != "":
		return bad("suffix", "'suffix' is not supported by this server")
	case c.Prompt.count() == 0:
		return bad("prompt", "you must provide a prompt parameter")
	case c.Prompt.count()*c.choices() > s.Choices:
		return bad("prompt", "The request asks for %d texts, and a request may have %d", c.Prompt.count()*c.choices(), s.Choices)
	}
	j := &job{parameters: c.parameters, form: completionForm, usual: usualCompletion}
	if c.MaxTokens != nil {
		j.tokens = *c.MaxTokens
	}
	if c.LogProbs != nil {
		j.logProbs, j.likeliest = true, *c.LogProbs
	}
	var err error
	if j.prompts, err = s.tokensOf(c.Prompt); err != nil {
		return err
	}
	return s.run(w, r, j)
}
