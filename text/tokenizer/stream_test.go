package tokenizer

import (
	"strings"
	"testing"
)

// TestStream wants the text of Decode piece by piece, and no piece that ends within a character.
func TestStream(t *testing.T) {
	for _, name := range goldenNames(t) {
		tok, want := loadGolden(t, name)
		for _, c := range want.Cases {
			s := tok.NewStream()
			var b strings.Builder
			for _, id := range c.IDs {
				piece, err := s.Step(id)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(piece, "\ufffd") && !strings.Contains(c.Text, "\ufffd") {
					t.Errorf("%s: %q: a piece is %q", name, c.Text, piece)
				}
				b.WriteString(piece)
			}
			rest, err := s.Flush()
			if got := b.String() + rest; err != nil || got != c.DecodedSkipping {
				t.Errorf("%s: %q: got %q, want %q, %v", name, c.Text, got, c.DecodedSkipping, err)
			}
		}
	}
}

// TestStreamOfHalfCharacters wants bytes that never become a character after a while, not never.
func TestStreamOfHalfCharacters(t *testing.T) {
	tok, _ := loadGolden(t, "bpe")
	id, ok := tok.TokenToID(string(byteRunes[0xe4]))
	if !ok {
		t.Fatal("no token of byte e4")
	}
	s := tok.NewStream()
	n := 0
	for range 100 {
		piece, err := s.Step(id)
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count(piece, "\ufffd")
	}
	if n < 100-maxHeld {
		t.Errorf("%d of 100", n)
	}
}
