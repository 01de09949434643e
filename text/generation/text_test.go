package generation

import (
	"path/filepath"
	"strings"
	"testing"

	"cresset/text/tokenizer"
)

func load(t *testing.T, name string) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.Load(filepath.Join("..", "tokenizer", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestWritersGiveOutWholeCharacters feeds tokens of texts one by one, and puts what comes out together again.
func TestWritersGiveOutWholeCharacters(t *testing.T) {
	for _, name := range []string{"bpe", "bpe_split", "byte_fallback", "unigram"} {
		tok := load(t, name)
		for _, text := range []string{"the king is dead", "größer 日本語 👩‍🚀 at last", "  two  spaces"} {
			e, err := tok.Encode(text, tokenizer.AddSpecialTokens(false))
			if err != nil {
				t.Fatal(err)
			}
			whole, err := tok.Decode(e.IDs)
			if err != nil {
				t.Fatal(err)
			}
			w, err := NewWriter(tok, nil)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			for _, id := range e.IDs {
				p, err := w.Step(id)
				if err != nil {
					t.Fatal(err)
				}
				if strings.ContainsRune(p.Text, '\uFFFD') && !strings.ContainsRune(whole, '\uFFFD') {
					t.Errorf("%s: half a character in %q", name, p.Text)
				}
				out.WriteString(p.Text)
			}
			last, err := w.Finish()
			if err != nil || !last.Ended {
				t.Fatal(last, err)
			}
			if out.WriteString(last.Text); out.String() != whole {
				t.Errorf("%s: %q came out as %q", name, whole, out.String())
			}
		}
	}
}

// TestStopStrings ends texts before strings that lie within a token and across several, and gives out what only began like one.
func TestStopStrings(t *testing.T) {
	tok := load(t, "bpe")
	const text = "one two three four"
	e, err := tok.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	for stop, want := range map[string]string{"hree f": "one two t", "two": "one ", "x": text, "four!": text, "o": "", "four": "one two three "} {
		w, err := NewWriter(tok, nil, stop, "never")
		if err != nil {
			t.Fatal(err)
		}
		out, ended := "", false
		for _, id := range e.IDs {
			p, err := w.Step(id)
			if err != nil {
				t.Fatal(err)
			}
			out, ended = out+p.Text, p.Ended
		}
		last, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if out += last.Text; out != want || ended != (want != text) {
			t.Errorf("before %q: %q, ended %v", stop, out, ended)
		}
	}
}
