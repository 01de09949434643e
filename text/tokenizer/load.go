package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// file is tokenizer.json.
type file struct {
	Version       string          `json:"version"`
	Truncation    json.RawMessage `json:"truncation"`
	Padding       json.RawMessage `json:"padding"`
	AddedTokens   []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Decoder       json.RawMessage `json:"decoder"`
	Model         json.RawMessage `json:"model"`
}

// Load reads a tokenizer from a folder or a file of Hugging Face's: tokenizer.json, else vocab.json and merges.txt of GPT-2, else
// vocab.txt of BERT. The chat template and the names of tokens come from tokenizer_config.json and chat_template.jinja beside it, where
// these are.
//
// What a file asks for and this package does not have is an *Error that names it.
func Load(path string) (*Tokenizer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	dir, names := path, []string{"tokenizer.json", "vocab.json", "vocab.txt"}
	if !info.IsDir() {
		dir, names = filepath.Dir(path), []string{filepath.Base(path)}
	}
	config, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("tokenizer: %w", err)
		}
		t, err := read(dir, name, data, config)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
		return t, nil
	}
	return nil, fmt.Errorf("tokenizer: %s holds none of %s: %w", dir, strings.Join(names, ", "), fs.ErrNotExist)
}

func read(dir, name string, data []byte, config *config) (*Tokenizer, error) {
	var f *file
	var err error
	switch {
	case name == "vocab.txt":
		f, err = bertFile(string(data), config)
	case name == "vocab.json":
		merges, err := os.ReadFile(filepath.Join(dir, "merges.txt"))
		if err != nil {
			return nil, err
		}
		if f, err = gpt2File(data, string(merges), config); err != nil {
			return nil, err
		}
	default:
		f = &file{}
		err = json.Unmarshal(data, f)
	}
	if err != nil {
		return nil, wrapped(err)
	}
	t, err := f.tokenizer()
	if err != nil {
		return nil, wrapped(err)
	}
	t.chat.config = config
	return t, nil
}

// wrapped returns err as an *Error.
func wrapped(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return &Error{Part: "file", Problem: err.Error(), cause: err}
}

// Parse reads a tokenizer from the contents of a tokenizer.json.
func Parse(data []byte) (*Tokenizer, error) {
	return read("", "tokenizer.json", data, &config{})
}

func (f *file) tokenizer() (*Tokenizer, error) {
	if f.Version != "" && f.Version != "1.0" {
		return nil, &Error{Part: "version", Name: f.Version, Problem: "is not known"}
	}
	t := &Tokenizer{spec: f}
	var err error
	if t.normalizer, err = part(f.Normalizer, (*component).normalizer); err != nil {
		return nil, err
	}
	if t.pre, err = part(f.PreTokenizer, (*component).preTokenizer); err != nil {
		return nil, err
	}
	if t.post, err = part(f.PostProcessor, (*component).postProcessor); err != nil {
		return nil, err
	}
	if t.decoder, err = part(f.Decoder, (*component).decoder); err != nil {
		return nil, err
	}
	var m modelSpec
	if isNull(f.Model) {
		return nil, &Error{Part: "model", Problem: "is missing"}
	}
	if err := json.Unmarshal(f.Model, &m); err != nil {
		return nil, err
	}
	if t.model, err = m.model(); err != nil {
		return nil, err
	}
	t.takeBytes()
	if t.added, err = newAddedVocab(f.AddedTokens, t.model.vocabulary(), t.normalizer); err != nil {
		return nil, err
	}
	var l limits
	if err := json.Unmarshal(orNull(f.Truncation), &l.Truncation); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(orNull(f.Padding), &l.Padding); err != nil {
		return nil, err
	}
	t.defaults, err = l.settings()
	return t, err
}

func isNull(data json.RawMessage) bool { return len(data) == 0 || bytes.Equal(data, []byte("null")) }

func orNull(data json.RawMessage) json.RawMessage {
	if len(data) == 0 {
		return json.RawMessage("null")
	}
	return data
}

// part reads a part of the file; it is nil where the file has none.
func part[T any](data json.RawMessage, make func(*component, int) (T, error)) (T, error) {
	var none T
	if isNull(data) {
		return none, nil
	}
	var c component
	if err := json.Unmarshal(data, &c); err != nil {
		return none, err
	}
	p, err := make(&c, 0)
	if err != nil {
		return none, err
	}
	return p, nil
}

// takeBytes lets the model take words as bytes where the last thing that happens to them is that bytes are written as characters.
func (t *Tokenizer) takeBytes() {
	last := t.pre
	for {
		ts, ok := last.(preTokenizers)
		if !ok || len(ts) == 0 {
			break
		}
		last = ts[len(ts)-1]
	}
	b, ok := last.(*byteSplitter)
	if m, isBPE := t.model.(*bpe); ok && isBPE && m.takeBytes() {
		b.raw = true
	}
}

// object is a part that is written for a file that does not have it.
type object map[string]any

func raw(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings, numbers and lists of them are always written
	}
	return bytes.TrimSpace(b.Bytes())
}

// gpt2File is what GPT-2's two files mean.
func gpt2File(vocab []byte, merges string, c *config) (*file, error) {
	var ids map[string]int64
	if err := json.Unmarshal(vocab, &ids); err != nil {
		return nil, err
	}
	pairs := [][2]string{}
	for line := range strings.Lines(merges) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "#version") || line == "" {
			continue
		}
		var m mergeSpec
		if err := m.read(line); err != nil {
			return nil, err
		}
		pairs = append(pairs, m)
	}
	f := byteLevelFile(c.AddPrefixSpace)
	f.Model = raw(object{"type": "BPE", "vocab": ids, "merges": pairs})
	f.AddedTokens = c.specials(ids, "<|endoftext|>")
	return f, nil
}

// byteLevelFile is a tokenizer of bytes without its model.
func byteLevelFile(prefixSpace bool) *file {
	return &file{
		Version:       "1.0",
		PreTokenizer:  raw(object{"type": "ByteLevel", "add_prefix_space": prefixSpace, "trim_offsets": true, "use_regex": true}),
		PostProcessor: raw(object{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false, "use_regex": true}),
		Decoder:       raw(object{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}),
	}
}

// bertFile is what BERT's file means.
func bertFile(vocab string, c *config) (*file, error) {
	ids := map[string]int64{}
	var next int64
	for line := range strings.Lines(vocab) {
		ids[strings.TrimRightFunc(line, unicode.IsSpace)] = next
		next++
	}
	cls, sep := "[CLS]", "[SEP]"
	special := func(name string, typeID int) object {
		return object{"SpecialToken": object{"id": name, "type_id": typeID}}
	}
	text := func(name string, typeID int) object { return object{"Sequence": object{"id": name, "type_id": typeID}} }
	token := func(name string) object {
		return object{"id": name, "ids": []int64{ids[name]}, "tokens": []string{name}}
	}
	for _, name := range []string{cls, sep} {
		if _, ok := ids[name]; !ok {
			return nil, &Error{Part: "model", Name: name, Problem: "is not in the vocabulary"}
		}
	}
	single := []object{special(cls, 0), text("A", 0), special(sep, 0)}
	lower := c.LowerCase == nil || *c.LowerCase
	return &file{
		Version:       "1.0",
		AddedTokens:   c.specials(ids, "[PAD]", "[UNK]", cls, sep, "[MASK]"),
		Normalizer:    raw(object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": c.StripAccents, "lowercase": lower}),
		PreTokenizer:  raw(object{"type": "BertPreTokenizer"}),
		PostProcessor: raw(object{"type": "TemplateProcessing", "single": single, "pair": append(single, text("B", 1), special(sep, 1)), "special_tokens": object{cls: token(cls), sep: token(sep)}}),
		Decoder:       raw(object{"type": "WordPiece", "prefix": "##", "cleanup": true}),
		Model:         raw(object{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": ids}),
	}, nil
}
