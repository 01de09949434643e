package tokenizer

import (
	"flag"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

var randomStrings = flag.Int("strings", 10_000, "how many random strings go through each tokenizer")

// randomString joins letters of all planes of Unicode, spaces, marks, added tokens and bytes that are not UTF-8.
func randomString(r *rand.Rand) string {
	parts := []string{
		" ", "  ", "\n", "\t", "\u00a0", "\u3000", "the", "don't", "'LL", "é", "e\u0301", "\u0323", "你好", "🔥", "👨\u200d👩", "123", "½", "<s>", "</s>", "[SEP]",
		"<|endoftext|>", "<|begin_of_text|>", "▁", "Ġ", "##", "<0x41>", "\xff", "\xe4\xbd", "\xf0\x9f\x94", "\xed\xa0\x80", "İ", "ﬁ", "\u1100\u1161", "\x00", "\ufffd",
	}
	var b strings.Builder
	for range 1 + r.IntN(8) {
		switch r.IntN(4) {
		case 0:
			b.WriteRune(r.Int32N(unicode.MaxRune + 1))
		case 1:
			b.WriteRune(r.Int32N(0x3000))
		case 2:
			b.WriteByte(byte(' ' + r.IntN(95)))
		default:
			b.WriteString(parts[r.IntN(len(parts))])
		}
	}
	return b.String()
}

// TestRandomStrings wants from tokenizers of bytes the string that went in, but for what is not UTF-8 and what NFC changes, and from all
// offsets within it.
func TestRandomStrings(t *testing.T) {
	const seed = 1
	for _, name := range []string{"bpe", "bpe_split", "byte_fallback", "unigram", "wordpiece"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tok, err := Load(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(seed, 0))
			for range *randomStrings {
				text := randomString(r)
				e, err := tok.Encode(text, AddSpecialTokens(false))
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				for _, o := range e.Offsets {
					if o.Start < 0 || o.End < o.Start || o.End > len(text) {
						t.Fatalf("%q: offset %v", text, o)
					}
				}
				back, err := tok.Decode(e.IDs, SkipSpecialTokens(false))
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				want := lossy([]byte(text))
				if name == "bpe_split" {
					p, err := forms["NFC"].normalize(newPiece(text))
					if err != nil {
						t.Fatal(err)
					}
					want = p.text
				}
				if strings.HasPrefix(name, "bpe") && back != want && !strings.Contains(text, "<|") {
					t.Fatalf("%q came back as %q", want, back)
				}
			}
		})
	}
}
