package tokenizer

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"
)

// goldens holds folders as testdata does; the tests run on others of the kind by go test -goldens DIR.
var goldens = flag.String("goldens", "testdata", "the folder with recorded tokenizers")

// recorded is what tokenizers 0.23 made of strings: the file cases.json beside each tokenizer.json.
type recorded struct {
	Cases []struct {
		Text            string
		IDs             []int
		Tokens          []string
		Offsets         [][2]int // in characters
		Plain           []int    `json:"ids_without_special"`
		Decoded         string
		DecodedSkipping string `json:"decoded_skipping_special"`
	}
	Pairs []struct {
		Text, Pair string
		IDs        []int
		TypeIDs    []int `json:"type_ids"`
		Special    []int `json:"special_tokens_mask"`
	}
	Batch []struct {
		Text string
		IDs  []int
		Mask []int `json:"attention_mask"`
	}
}

// goldenNames returns the folders in which a tokenizer lies.
func goldenNames(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(*goldens, "*", "cases.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", *goldens, err)
	}
	var names []string
	for _, f := range files {
		names = append(names, filepath.Base(filepath.Dir(f)))
	}
	return names
}

func loadGolden(t testing.TB, name string) (*Tokenizer, *recorded) {
	t.Helper()
	tok, err := Load(filepath.Join(*goldens, name, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(*goldens, name, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return tok, &r
}

// inRunes returns offsets in characters.
func inRunes(text string, offsets []Offset) [][2]int {
	out := [][2]int{}
	for _, o := range offsets {
		out = append(out, [2]int{utf8.RuneCountInString(text[:o.Start]), utf8.RuneCountInString(text[:o.End])})
	}
	return out
}

func TestGoldens(t *testing.T) {
	for _, name := range goldenNames(t) {
		t.Run(name, func(t *testing.T) {
			tok, want := loadGolden(t, name)
			for _, c := range want.Cases {
				e, err := tok.Encode(c.Text)
				if err != nil {
					t.Fatalf("Encode(%q): %v", c.Text, err)
				}
				if !slices.Equal(e.IDs, c.IDs) || !slices.Equal(e.Tokens, c.Tokens) {
					t.Errorf("Encode(%q)\n got %v %q\nwant %v %q", c.Text, e.IDs, e.Tokens, c.IDs, c.Tokens)
				}
				if got := inRunes(c.Text, e.Offsets); !slices.Equal(got, c.Offsets) {
					t.Errorf("offsets of %q\n got %v\nwant %v", c.Text, got, c.Offsets)
				}
				if plain, err := tok.Encode(c.Text, AddSpecialTokens(false)); err != nil || !slices.Equal(plain.IDs, c.Plain) {
					t.Errorf("Encode(%q) without special tokens: got %v, want %v, %v", c.Text, plain.IDs, c.Plain, err)
				}
				if got, err := tok.Decode(c.IDs); err != nil || got != c.DecodedSkipping {
					t.Errorf("Decode of %q: got %q, want %q, %v", c.Text, got, c.DecodedSkipping, err)
				}
				if got, err := tok.Decode(c.IDs, SkipSpecialTokens(false)); err != nil || got != c.Decoded {
					t.Errorf("Decode of %q with special tokens: got %q, want %q, %v", c.Text, got, c.Decoded, err)
				}
			}
			for _, c := range want.Pairs {
				e, err := tok.EncodePair(c.Text, c.Pair)
				if err != nil || !slices.Equal(e.IDs, c.IDs) || !slices.Equal(e.TypeIDs, c.TypeIDs) || !slices.Equal(e.SpecialTokensMask, c.Special) {
					t.Errorf("EncodePair(%q, %q)\n got %v %v %v\nwant %v %v %v", c.Text, c.Pair, e.IDs, e.TypeIDs, e.SpecialTokensMask, c.IDs, c.TypeIDs, c.Special)
				}
			}
			var texts []string
			for _, c := range want.Batch {
				texts = append(texts, c.Text)
			}
			pad, _ := tok.IDToToken(0)
			es, err := tok.EncodeBatch(texts, Truncation{MaxLength: 8}, Padding{Length: 10, Token: pad})
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range want.Batch {
				if !slices.Equal(es[i].IDs, c.IDs) || !slices.Equal(es[i].AttentionMask, c.Mask) {
					t.Errorf("EncodeBatch: %q\n got %v %v\nwant %v %v", c.Text, es[i].IDs, es[i].AttentionMask, c.IDs, c.Mask)
				}
			}
		})
	}
}
