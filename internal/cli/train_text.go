package cli

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"cresset/data"
	"cresset/tensor"
	"cresset/text/tokenizer"
)

// corpus is a text as tokens, cut into one to learn from and one that judges.
type corpus struct {
	name        string
	words       *tokenizer.Tokenizer
	train, test *passages
	checksum    int     // of the text
	perToken    float64 // characters, in what judges
}

// readCorpus reads the text that was asked for and makes its tokenizer.
func (c *trainCommand) readCorpus() (*corpus, error) {
	l := &c.Language
	var text string
	of := &corpus{name: "plays of Shakespeare"}
	if l.Text == nil {
		text = data.Plays()
	} else {
		file, err := os.ReadFile(*l.Text)
		if err != nil {
			return nil, err
		}
		text, of.name = string(file), filepath.Base(*l.Text)
	}
	if !utf8.ValidString(text) {
		return nil, &advice{fmt.Errorf("%s is not UTF-8", of.name), "--text wants plain text"}
	}
	var err error
	of.checksum = int(crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli)))
	if or(l.Tokenizer, "chars") == "bpe" {
		of.words, err = tokenizer.Train(text, or(l.Vocab, 1024))
	} else {
		of.words, err = tokenizer.Characters(text)
	}
	if err != nil {
		return nil, err
	}
	ids, err := encode(of.words, text)
	if err != nil {
		return nil, err
	}
	return of, of.cut(ids, or(l.Context, usualContext))
}

const usualContext = 64

// cut divides the text into nine tenths to learn from and one that judges.
func (c *corpus) cut(ids []int32, context int) error {
	n := len(ids) * 9 / 10
	c.train, c.test = &passages{ids[:n], context}, &passages{ids[n:], context}
	if c.test.Len() < 1 {
		return &advice{fmt.Errorf("%s has %s, and its last tenth has to hold %d", c.name, count(len(ids), "token", "s"), context+1), "a longer text or a shorter --context"}
	}
	var characters int
	for at := 0; at < len(c.test.ids); at += 1 << 16 {
		text, err := c.words.Decode(ints(c.test.ids[at:min(at+1<<16, len(c.test.ids))]))
		if err != nil {
			return err
		}
		characters += utf8.RuneCountInString(text)
	}
	c.perToken = float64(characters) / float64(len(c.test.ids))
	return nil
}

func ints(ids []int32) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = int(id)
	}
	return out
}

// encode returns the tokens of a text. It is read in pieces that end behind lines, where no token spans.
func encode(words *tokenizer.Tokenizer, text string) ([]int32, error) {
	const piece = 1 << 16
	var ids []int32
	for len(text) > 0 {
		end := len(text)
		for at := piece; at < len(text); {
			line := strings.IndexByte(text[at:], '\n')
			if line < 0 {
				break
			}
			at += line + 1
			if next, _ := utf8.DecodeRuneInString(text[at:]); at == len(text) || !unicode.IsSpace(next) {
				end = at
				break
			}
		}
		e, err := words.Encode(text[:end])
		if err != nil {
			return nil, err
		}
		for _, id := range e.IDs {
			ids = append(ids, int32(id))
		}
		text = text[end:]
	}
	return ids, nil
}

// passages is the data set of all places in a text: a sample is so many tokens from there on, its target the tokens that follow each.
type passages struct {
	ids     []int32
	context int
}

// Len returns the number of places.
func (p *passages) Len() int { return len(p.ids) - p.context }

// Batch returns the samples at some places.
func (p *passages) Batch(places []int) (data.Batch, error) {
	x, y := make([]int64, 0, len(places)*p.context), make([]int64, 0, len(places)*p.context)
	for _, at := range places {
		for i := at; i < at+p.context; i++ {
			x, y = append(x, int64(p.ids[i])), append(y, int64(p.ids[i+1]))
		}
	}
	return data.Batch{Inputs: tensor.FromSlice(x, len(places), p.context), Targets: tensor.FromSlice(y, len(places), p.context)}, nil
}
