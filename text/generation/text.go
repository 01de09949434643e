package generation

import (
	"context"
	"iter"
	"slices"
	"strings"

	"cresset/models"
	"cresset/text/tokenizer"
)

// Piece is what a step adds to a text.
type Piece struct {
	Text  string // may be empty: characters of several tokens come whole, and what may begin a stop string is held back
	Ended bool   // the text has ended, here or before
}

// Texts is Tokens for texts: it yields what each step adds to each of them. A text ends behind a token of o.End, and before the first of some strings, which
// does not belong to it.
func Texts(ctx context.Context, m models.Decoder, t *tokenizer.Tokenizer, prompts []string, o Options, stop ...string) iter.Seq2[[]Piece, error] {
	return func(yield func([]Piece, error) bool) {
		ids, writers := make([][]int, len(prompts)), make([]*Writer, len(prompts))
		for i, p := range prompts {
			e, err := t.Encode(p)
			if err != nil {
				yield(nil, err)
				return
			}
			ids[i] = e.IDs
			if writers[i], err = NewWriter(t, e.IDs, stop...); err != nil {
				yield(nil, err)
				return
			}
		}
		for next, err := range Tokens(ctx, m, ids, o) {
			if err != nil {
				yield(nil, err)
				return
			}
			pieces, all := make([]Piece, len(prompts)), true
			for i := range writers {
				if pieces[i], err = writers[i].Step(next[i], o.End...); err != nil {
					yield(nil, err)
					return
				}
				all = all && pieces[i].Ended
			}
			if !yield(pieces, nil) || all {
				return
			}
		}
		last := make([]Piece, len(prompts))
		for i := range writers {
			var err error
			if last[i], err = writers[i].Finish(); err != nil {
				yield(nil, err)
				return
			}
		}
		yield(last, nil)
	}
}

// Writer makes text of the tokens of one text as they come.
type Writer struct {
	stream *tokenizer.Stream
	held   string // of the text, since it may begin a stop string
	stop   []string
	ended  bool
}

// NewWriter returns the writer of what follows a prompt, by which a tokenizer writes the first tokens. The text ends before the first of some strings.
func NewWriter(t *tokenizer.Tokenizer, prompt []int, stop ...string) (*Writer, error) {
	w := &Writer{stream: t.NewStream(), stop: stop}
	for _, id := range prompt {
		if _, err := w.stream.Step(id); err != nil {
			return w, err
		}
	}
	_, err := w.stream.Flush()
	return w, err
}

// Step adds a token. The text ends at one of end, which has no text, and at Ended.
func (w *Writer) Step(id int, end ...int) (Piece, error) {
	switch {
	case w.ended:
		return Piece{Ended: true}, nil
	case id == Ended || slices.Contains(end, id):
		return w.Finish()
	}
	text, err := w.stream.Step(id)
	if err != nil {
		return Piece{}, err
	}
	w.held += text
	return w.flush(), nil
}

// flush gives out what is held, but for what may begin a stop string.
func (w *Writer) flush() Piece {
	keep := 0
	for _, s := range w.stop {
		if at := strings.Index(w.held, s); at >= 0 {
			text := w.held[:at]
			w.held, w.ended = "", true
			return Piece{text, true}
		}
		for n := min(len(s)-1, len(w.held)); n > keep; n-- {
			if strings.HasSuffix(w.held, s[:n]) {
				keep = n
			}
		}
	}
	out := w.held[:len(w.held)-keep]
	w.held = w.held[len(out):]
	return Piece{Text: out}
}

// Finish ends the text and gives out what was held.
func (w *Writer) Finish() (Piece, error) {
	if w.ended {
		return Piece{Ended: true}, nil
	}
	text, err := w.stream.Flush()
	w.held += text
	last := w.flush()
	last.Text += w.held
	w.ended, w.held, last.Ended = true, "", true
	return last, err
}
