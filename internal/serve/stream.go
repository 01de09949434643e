package serve

import (
	"iter"
	"net/http"
	"time"
)

// stream answers with server-sent events, one for what a step adds to a text.
func (a *answer) stream(w http.ResponseWriter, events iter.Seq[event]) error {
	s := &stream{answer: a, w: w, c: http.NewResponseController(w), offsets: make([]int, len(a.choices))}
	written := 0
	for e := range events {
		if e.err != nil {
			return s.fail(e.err)
		}
		if err := s.begin(); err != nil {
			return nil
		}
		written += e.tokens
		a.count(e)
		if err := s.add(e); err != nil {
			return nil // the client is gone, or takes nothing: there is nobody to tell
		}
	}
	if s.begun && s.wantsUsage() {
		last := a.begin(a.job.form.chunk)
		last.Usage = a.usage(written)
		if err := s.send(last); err != nil {
			return nil
		}
	}
	_ = s.write([]byte("[DONE]\n"))
	return nil
}

// stream is an answer on its way to a client.
type stream struct {
	*answer
	w       http.ResponseWriter
	c       *http.ResponseController
	begun   bool
	offsets []int // of the next token in each text
}

func (s *stream) wantsUsage() bool { o := s.job.StreamOptions; return o != nil && o.IncludeUsage }

// begin sends what stands before the first text. It waits for that text, so that an error before it still has a status.
func (s *stream) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-store")
	s.w.WriteHeader(http.StatusOK)
	for i := range s.choices {
		if !s.job.form.chat {
			break
		}
		none := ""
		if err := s.sendChoice(choiceJSON{Index: i, Delta: &delta{"assistant", &none}}); err != nil {
			return err
		}
	}
	return nil
}

// add sends what a step adds to a text.
func (s *stream) add(e event) error {
	i := e.choice.index
	if e.text != "" || e.scored != nil {
		c := choiceJSON{Index: i}
		s.put(&c, e.text)
		if e.scored != nil {
			c.LogProbs = s.scores(e.scored, &s.offsets[i])
		}
		if err := s.sendChoice(c); err != nil {
			return err
		}
	}
	if e.reason == "" {
		return nil
	}
	c := choiceJSON{Index: i, Reason: &e.reason}
	if s.job.form.chat {
		c.Delta = &delta{}
	} else {
		s.put(&c, "")
	}
	return s.sendChoice(c)
}

// put sets the text of a choice.
func (s *stream) put(c *choiceJSON, text string) {
	if s.job.form.chat {
		c.Delta = &delta{Content: &text}
	} else {
		c.Text = &text
	}
}

func (s *stream) sendChoice(c choiceJSON) error {
	part := s.answer.begin(s.job.form.chunk)
	part.Choices = append(part.Choices, c)
	return s.send(part)
}

func (s *stream) send(v any) error {
	text, err := encode(v)
	if err != nil {
		return s.fail(err)
	}
	return s.write(text)
}

// write sends an event whose data ends with a line feed.
func (s *stream) write(data []byte) error {
	_ = s.c.SetWriteDeadline(time.Now().Add(s.silence))
	if _, err := s.w.Write(append(append([]byte("data: "), data...), '\n')); err != nil {
		return err
	}
	return s.c.Flush()
}

// fail tells an error by its status, or behind the first text as an event.
func (s *stream) fail(err error) error {
	if !s.begun {
		return err
	}
	text, bad := encode(problemOf(err))
	if bad == nil {
		_ = s.write(text)
	}
	return nil
}
