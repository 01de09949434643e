package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Save writes t to a folder, which it makes, as files that tokenizers and transformers read: tokenizer.json, and tokenizer_config.json
// and chat_template.jinja where t came with them.
func (t *Tokenizer) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("tokenizer: %w", err)
	}
	files := map[string][]byte{"tokenizer.json": t.JSON()}
	if c := t.chat.config; c != nil {
		if c.data != nil {
			files["tokenizer_config.json"] = raw(c.data)
		}
		if c.template != "" {
			files["chat_template.jinja"] = []byte(c.template)
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return fmt.Errorf("tokenizer: %w", err)
		}
	}
	return nil
}

// JSON returns the contents of tokenizer.json, which [Parse] reads.
func (t *Tokenizer) JSON() []byte {
	f := *t.spec
	f.Version = "1.0"
	if f.AddedTokens == nil {
		f.AddedTokens = []addedToken{}
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw(f), "", "  "); err != nil {
		panic(err) // what was just written is JSON
	}
	return b.Bytes()
}
