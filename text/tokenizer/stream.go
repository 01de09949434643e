package tokenizer

import "strings"

// Stream makes text of tokens as they come, such as those that a model generates.
type Stream struct {
	t        *Tokenizer
	settings decodeSettings
	ids      []int // what the next text is decoded with, since a token may depend on those before it
	told     int   // of ids: those whose text was returned
}

// maxHeld is the number of tokens that wait for the end of a character; no character has more bytes than 4.
const maxHeld = 8

// NewStream returns a stream that decodes as [Tokenizer.Decode] does with these options.
func (t *Tokenizer) NewStream(opts ...DecodeOption) *Stream {
	s := &Stream{t: t}
	for _, o := range opts {
		o.decode(&s.settings)
	}
	return s
}

// Step returns the text that a token adds. It is "" while a character is not whole.
func (s *Stream) Step(id int) (string, error) {
	s.ids = append(s.ids, id)
	return s.next(len(s.ids)-s.told < maxHeld)
}

// Flush returns the text that Step held back.
func (s *Stream) Flush() (string, error) { return s.next(false) }

// next returns what follows the text returned so far. It is held back where it ends within a character.
func (s *Stream) next(hold bool) (string, error) {
	before, err := s.t.decode(s.ids[:s.told], s.settings)
	if err != nil {
		return "", err
	}
	text, err := s.t.decode(s.ids, s.settings)
	if err != nil {
		return "", err
	}
	if hold && strings.HasSuffix(text, "\ufffd") || len(text) < len(before) {
		return "", nil
	}
	added := text[len(before):]
	if added != "" {
		s.ids = append(s.ids[:0], s.ids[s.told:]...)
	}
	s.told = len(s.ids)
	return added, nil
}
