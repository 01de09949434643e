package tokenizer

import (
	"maps"
	"slices"
)

// Characters returns a tokenizer whose tokens are the characters that come in text, in the order of their code points. It drops others.
func Characters(text string) (*Tokenizer, error) {
	seen := map[rune]bool{}
	for _, r := range newPiece(text).text {
		seen[r] = true
	}
	ids := make(map[string]int, len(seen))
	for i, r := range slices.Sorted(maps.Keys(seen)) {
		ids[string(r)] = i
	}
	f := &file{
		Version: "1.0",
		Decoder: raw(object{"type": "Fuse"}),
		Model: raw(object{"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil, "end_of_word_suffix": nil, "fuse_unk": false,
			"byte_fallback": false, "ignore_merges": false, "vocab": ids, "merges": []string{}}),
	}
	return f.tokenizer()
}
