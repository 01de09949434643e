package tokenizer

import (
	"flag"
	"os"
	"testing"
)

var (
	benchTokenizer = flag.String("tokenizer", "", "the tokenizer to time instead of those of testdata")
	benchText      = flag.String("text", "", "the text to time on instead of recorded strings")
)

// BenchmarkEncode times Encode on one thread.
func BenchmarkEncode(b *testing.B) {
	paths := map[string]string{"given": *benchTokenizer}
	if *benchTokenizer == "" {
		paths = map[string]string{"bpe": "testdata/bpe", "bpe_split": "testdata/bpe_split", "byte_fallback": "testdata/byte_fallback", "unigram": "testdata/unigram", "wordpiece": "testdata/wordpiece"}
	}
	for name, path := range paths {
		b.Run(name, func(b *testing.B) {
			tok, err := Load(path)
			if err != nil {
				b.Fatal(err)
			}
			var texts []string
			if *benchText != "" {
				data, err := os.ReadFile(*benchText)
				if err != nil {
					b.Fatal(err)
				}
				texts = []string{string(data)}
			} else {
				_, cases := loadGolden(b, "bpe")
				for _, c := range cases.Cases {
					texts = append(texts, c.Text)
				}
			}
			n := 0
			for _, s := range texts {
				n += len(s)
			}
			b.SetBytes(int64(n))
			for b.Loop() {
				for _, s := range texts {
					if _, err := tok.Encode(s); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
