package tokenizer

import (
	"slices"
	"testing"
)

func TestCharacters(t *testing.T) {
	tok, err := Characters("größer\nals 日本")
	if err != nil || tok.VocabSize() != 12 {
		t.Fatalf("%d tokens, %v", tok.VocabSize(), err)
	}
	again, err := Parse(tok.JSON())
	if err != nil {
		t.Fatal(err)
	}
	e, err := again.Encode("Das größe日")
	if want := []int{2, 7, 1, 4, 6, 9, 8, 3, 10}; err != nil || !slices.Equal(e.IDs, want) {
		t.Errorf("got %v, %v, want %v", e.IDs, err, want)
	}
	if text, err := again.Decode(e.IDs); err != nil || text != "as größe日" {
		t.Errorf("got %q, %v", text, err)
	}
}
