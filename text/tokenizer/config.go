package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// config is tokenizer_config.json, as far as it is read.
type config struct {
	AddPrefixSpace bool                   `json:"add_prefix_space"`
	LowerCase      *bool                  `json:"do_lower_case"`
	StripAccents   *bool                  `json:"strip_accents"`
	Added          map[string]*addedToken `json:"added_tokens_decoder"`
	ChatTemplate   json.RawMessage        `json:"chat_template"`

	// data is the whole file, in which templates find names such as bos_token.
	data     map[string]json.RawMessage
	template string // chat_template.jinja
}

func readConfig(dir string) (*config, error) {
	c := &config{}
	data, err := os.ReadFile(filepath.Join(dir, "tokenizer_config.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	if err == nil {
		if err := c.parse(data); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "tokenizer_config.json"), wrapped(err))
		}
	}
	template, err := os.ReadFile(filepath.Join(dir, "chat_template.jinja"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	c.template = string(template)
	return c, nil
}

func (c *config) parse(data []byte) error {
	if err := json.Unmarshal(data, c); err != nil {
		return err
	}
	return json.Unmarshal(data, &c.data)
}

// token returns a token that the file names, such as bos_token: a string, or an object with its content.
func (c *config) token(name string) (string, bool) {
	var s string
	if json.Unmarshal(orNull(c.data[name]), &s) == nil && s != "" {
		return s, true
	}
	var t struct{ Content *string }
	if json.Unmarshal(orNull(c.data[name]), &t) == nil && t.Content != nil {
		return *t.Content, true
	}
	return "", false
}

// specials returns the added tokens that the file lists, in the order of their ids, and those of names that the vocabulary has.
func (c *config) specials(ids map[string]int64, names ...string) []addedToken {
	tokens := []addedToken{}
	for key, t := range c.Added {
		id, err := strconv.Atoi(key)
		if t == nil || err != nil {
			continue
		}
		t.ID = id
		tokens = append(tokens, *t)
	}
	for _, name := range names {
		id, ok := ids[name]
		if ok && !slices.ContainsFunc(tokens, func(t addedToken) bool { return t.Content == name }) {
			tokens = append(tokens, addedToken{ID: int(id), Content: name, Special: true})
		}
	}
	slices.SortFunc(tokens, func(a, b addedToken) int { return a.ID - b.ID })
	return tokens
}
