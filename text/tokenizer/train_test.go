package tokenizer

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// TestTrain wants the merges of BpeTrainer of tokenizers 0.23, recorded for an excerpt of tinyshakespeare and for runs of one letter, whose
// pairs overlap.
func TestTrain(t *testing.T) {
	data, err := os.ReadFile("testdata/train.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]struct {
		Text   string
		Merges []string
		Size   int `json:"vocab_size"`
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for name, c := range cases {
		tok, err := Train(c.Text, 400, SpecialTokens("<|endoftext|>"))
		if err != nil {
			t.Fatal(err)
		}
		var m modelSpec
		if err := json.Unmarshal(tok.spec.Model, &m); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, pair := range m.Merges {
			got = append(got, pair[0]+" "+pair[1])
		}
		if !slices.Equal(got, c.Merges) || tok.VocabSize() != c.Size {
			t.Errorf("%s: got %q and %d tokens\nwant %q and %d", name, got, tok.VocabSize(), c.Merges, c.Size)
		}
		again, err := Parse(tok.JSON())
		if err != nil || !bytes.Equal(again.JSON(), tok.JSON()) {
			t.Errorf("%s: written and read again it is another: %v", name, err)
		}
		e, err := again.Encode(c.Text + "<|endoftext|>")
		if err != nil || e.IDs[e.Len()-1] != 0 {
			t.Fatal(e, err)
		}
		if back, err := again.Decode(e.IDs); err != nil || back != c.Text {
			t.Errorf("%s: decoded %q, %v", name, back, err)
		}
	}
	if _, err := Train("a", 255); err == nil {
		t.Error("a vocabulary without all bytes")
	}
	if tok, err := Train("ab ab ab cd", 300, MinFrequency(3)); err != nil || tok.VocabSize() != 257 { // " ab" comes twice
		t.Errorf("MinFrequency: %d tokens, %v", tok.VocabSize(), err)
	}
}
