package tokenizer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOldFiles reads vocab.txt, and vocab.json with merges.txt, as the tokenizer.json beside them.
func TestOldFiles(t *testing.T) {
	for name, file := range map[string]string{"wordpiece": "vocab.txt", "bpe": "vocab.json"} {
		tok, err := Load(filepath.Join("testdata", name, file))
		if err != nil {
			t.Fatal(err)
		}
		_, want := loadGolden(t, name)
		for _, c := range want.Cases {
			if strings.Contains(c.Text, "<|pad|>") { // vocab.json does not say that it is special
				continue
			}
			e, err := tok.Encode(c.Text)
			if err != nil || !slices.Equal(e.IDs, c.IDs) {
				t.Errorf("%s: Encode(%q) = %v, want %v, %v", file, c.Text, e.IDs, c.IDs, err)
			}
			if got, err := tok.Decode(c.IDs); err != nil || got != c.DecodedSkipping {
				t.Errorf("%s: Decode = %q, want %q, %v", file, got, c.DecodedSkipping, err)
			}
		}
	}
}

func TestTokensByName(t *testing.T) {
	tok, _ := loadGolden(t, "bpe_split")
	id, ok := tok.TokenToID("<|im_start|>")
	if name, _ := tok.IDToToken(id); !ok || name != "<|im_start|>" {
		t.Errorf("%d %v %q", id, ok, name)
	}
	if _, ok := tok.TokenToID("no such token"); ok {
		t.Error("a token that there is not")
	}
	for _, id := range []int{-1, tok.VocabSize(), 1 << 40} {
		if name, ok := tok.IDToToken(id); ok {
			t.Errorf("id %d is %q", id, name)
		}
	}
	if n := tok.VocabSize(); n != 1000 {
		t.Errorf("%d tokens, want 1000", n)
	}
	if s, err := tok.Decode([]int{-5, 1 << 50}); s != "" || err != nil {
		t.Errorf("Decode of ids that there are not: %q, %v", s, err)
	}
}

func TestWhatIsNotKnownIsNamed(t *testing.T) {
	const model = `"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}`
	for _, tc := range []struct{ file, want string }{
		{`{`, "unexpected end of JSON"},
		{`{}`, "model: is missing"},
		{`{"version": "2.0"}`, `"2.0" is not known`},
		{`{"model": {"type": "Neural"}}`, "model"},
		{`{"model": {"type": "Neural", "vocab": {}}}`, `"Neural" is not known`},
		{`{"normalizer": {"type": "Upper"}, ` + model + `}`, `normalizer: "Upper" is not known`},
		{`{"normalizer": {"type": "Replace", "content": ""}, ` + model + `}`, "pattern: is missing"},
		{`{"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}, ` + model + `}`, `"Precompiled" holds no trie`},
		{`{"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(?<n>a)"}, "behavior": "Isolated"}, ` + model + `}`, "an unknown kind of group"},
		{`{"pre_tokenizer": {"type": "Split", "pattern": {"String": "a"}, "behavior": "Gone"}, ` + model + `}`, "unknown behavior Gone"},
		{`{"pre_tokenizer": {"type": "Sequence", "pretokenizers": [null]}, ` + model + `}`, "a part is null"},
		{`{"post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}], "pair": []}, ` + model + `}`, `"x" is not among its special tokens`},
		{`{"decoder": {"type": "Rot13"}, ` + model + `}`, `decoder: "Rot13" is not known`},
		{`{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}}`, `"a b" joins what is not in the vocabulary`},
		{`{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]}}`, `"a" is no pair of merges`},
		{`{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.1}}`, `"dropout" is for training`},
		{`{"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}`, "out of range"},
		{`{"model": {"type": "Unigram", "vocab": [], "unk_id": 0}}`, `"unk_id" is larger than the vocabulary`},
		{`{"padding": {"strategy": {"Fixed": -1}}, ` + model + `}`, "padding: a length out of range"},
		{`{"pre_tokenizer": ` + strings.Repeat(`{"type": "Sequence", "pretokenizers": [`, 100) + strings.Repeat(`]}`, 100) + `, ` + model + `}`, "too many sequences within sequences"},
	} {
		_, err := Parse([]byte(tc.file))
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%.60s: got %v, want %q", tc.file, err, tc.want)
		}
	}
	if _, err := Load(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Load("no such folder"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

func TestTruncationErrors(t *testing.T) {
	tok, _ := loadGolden(t, "wordpiece")
	for _, tr := range []Truncation{
		{MaxLength: 1}, {MaxLength: 4, Stride: 2}, {MaxLength: 8, Strategy: OnlySecond}, {MaxLength: 8, Strategy: "Longest"},
	} {
		_, err := tok.Encode("a b c d e f g h i j k", tr)
		var e *ErrTruncation
		if tr.Strategy == "Longest" && err == nil {
			_, err = tok.EncodePair("a b c d e f", "g h i j", tr)
		}
		if !errors.As(err, &e) {
			t.Errorf("%+v: got %v, want *ErrTruncation", tr, err)
		}
	}
}

func TestUnknownWithoutAToken(t *testing.T) {
	tok, err := Parse([]byte(`{"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "?"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tok.Encode("b"); err == nil || !strings.Contains(err.Error(), `"?" stands for what is unknown`) {
		t.Errorf("got %v", err)
	}
}

// TestInvalidUTF8 wants what the text with U+FFFD in its place gives, at the bytes of the text.
func TestInvalidUTF8(t *testing.T) {
	for _, name := range goldenNames(t) {
		tok, _ := loadGolden(t, name)
		for _, text := range []string{"a\xffb", "\xe4\xbd", "x\xf0\x9f\x94y\x80\x80", "\xed\xa0\x80"} {
			got, err := tok.Encode(text)
			if err != nil {
				t.Fatal(err)
			}
			want, err := tok.Encode(lossy([]byte(text)))
			if err != nil || !slices.Equal(got.IDs, want.IDs) {
				t.Errorf("%s: %q: got %v, want %v, %v", name, text, got.IDs, want.IDs, err)
			}
			for _, o := range got.Offsets {
				if o.Start < 0 || o.End < o.Start || o.End > len(text) {
					t.Errorf("%s: %q: offset %v", name, text, o)
				}
			}
		}
	}
	if got := lossy([]byte("a\xe4\xbdb\xff\xf0\x9f\x94\xed\xa0\x80")); got != "a\ufffdb\ufffd\ufffd\ufffd\ufffd\ufffd" {
		t.Errorf("lossy: %q", got)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("vocab.json", `{"a": 0}`)
	if _, err := Load(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("merges.txt is missing: %v", err)
	}
	write("tokenizer_config.json", `[]`)
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "tokenizer_config.json") {
		t.Errorf("a list for a configuration: %v", err)
	}
}

func TestSave(t *testing.T) {
	for _, name := range goldenNames(t) {
		tok, want := loadGolden(t, name)
		dir := filepath.Join(t.TempDir(), "saved")
		if err := tok.Save(dir); err != nil {
			t.Fatal(err)
		}
		again, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range want.Cases {
			if e, err := again.Encode(c.Text); err != nil || !slices.Equal(e.IDs, c.IDs) {
				t.Errorf("%s: Encode(%q) = %v, want %v, %v", name, c.Text, e.IDs, c.IDs, err)
			}
		}
	}
}
