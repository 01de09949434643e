package cli

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"cresset/models"
	"cresset/models/gpt2"
	"cresset/tensor"
)

var drawing sync.Mutex // scripts run at once, and draw from one generator

// writeDecoder writes a model of random weights with a tokenizer of 1,000 tokens, decoder DIR.
func writeDecoder(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: decoder DIR")
	}
	drawing.Lock()
	tensor.ManualSeed(2)
	m, err := gpt2.New(gpt2.Config{Vocabulary: 1000, Width: 16, Layers: 1, Heads: 2, Positions: 64, InitializerRange: 0.3})
	drawing.Unlock()
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	ts.Check(models.Save(dir, m))
	words, err := os.ReadFile("../../text/tokenizer/testdata/bpe/tokenizer.json")
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(dir, "tokenizer.json"), words, 0o666))
}
