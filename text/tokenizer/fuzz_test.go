package tokenizer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse wants no panic for any tokenizer.json, nor from the tokenizer that it makes.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "<0x0A>": 3}, "merges": [["a", "b"]], "byte_fallback": true}}`), "ab\n")
	f.Add([]byte(`{"model": {"type": "Unigram", "vocab": [["<unk>", 0], ["a", -1.5]], "unk_id": 0}, "pre_tokenizer": {"type": "Metaspace", "replacement": "▁"}}`), "a b")
	f.Add([]byte(`{"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##b": 2}}, "normalizer": {"type": "BertNormalizer", "lowercase": true}}`), "AB é")
	f.Add([]byte(`{"model": {"type": "WordLevel", "vocab": {"a": 4000000}}, "added_tokens": [{"content": "<a>", "lstrip": true, "normalized": true}], "post_processor": {"type": "RobertaProcessing", "sep": ["a", 1], "cls": ["b", 2]}}`), " <a>a")
	f.Add([]byte(`{"model": {"type": "BPE", "vocab": {}, "merges": []}, "normalizer": {"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAA="}, "decoder": {"type": "CTC"}, "truncation": {"max_length": 2, "stride": 1}, "padding": {"strategy": {"Fixed": 4}}}`), "x")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if len(data) > 1<<14 || len(text) > 1<<10 {
			return
		}
		tok, err := Parse(data)
		if err != nil {
			return
		}
		e, err := tok.EncodePair(text, "a b")
		if err != nil || e.Len() > 1<<16 {
			return
		}
		if _, err := tok.Decode(e.IDs); err != nil {
			return
		}
		for _, o := range e.Offsets {
			if o.Start < 0 || o.End < o.Start || o.End > max(len(text), 3) {
				t.Fatalf("%s of %q: offset %v", data, text, o)
			}
		}
	})
}

// FuzzRoundTrip wants of every tokenizer of bytes the text that went in, and of the others no panic and offsets within the text.
func FuzzRoundTrip(f *testing.F) {
	tokens := map[string]*Tokenizer{}
	for _, name := range []string{"bpe", "bpe_split", "byte_fallback", "unigram", "wordpiece"} {
		tok, err := Load(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		tokens[name] = tok
	}
	text, err := os.ReadFile("testdata/train.json")
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i+40 < 2000; i += 40 {
		f.Add(string(text[i : i+40]))
	}
	for _, s := range []string{"e\u0301 \xff\xf0\x9f", "<|endoftext|> a<s>", "\u2581 ▁▁ \x00", "１２３ 你好 🔥", strings.Repeat("ab", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, tok := range tokens {
			e, err := tok.Encode(text)
			if err != nil {
				t.Fatalf("%s of %q: %v", name, text, err)
			}
			for _, o := range e.Offsets {
				if o.Start < 0 || o.End < o.Start || o.End > len(text) {
					t.Fatalf("%s of %q: offset %v", name, text, o)
				}
			}
			back, err := tok.Decode(e.IDs, SkipSpecialTokens(false))
			if err != nil || !utf8.ValidString(back) {
				t.Fatalf("%s of %q: decoded %q, %v", name, text, back, err)
			}
			if want := lossy([]byte(text)); name == "bpe" && back != want {
				t.Fatalf("%q came back as %q", text, back)
			}
		}
	})
}
