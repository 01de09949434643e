package tokenizer

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// An Error says which part of a tokenizer's files cannot be used, and why.
type Error struct {
	Part    string // as in tokenizer.json: model, normalizer, pre_tokenizer, ...
	Name    string // the part's type, or what it is about
	Problem string
	cause   error
}

func (e *Error) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("tokenizer: %s: %s", e.Part, e.Problem)
	}
	return fmt.Sprintf("tokenizer: %s: %q %s", e.Part, e.Name, e.Problem)
}

// Unwrap returns what caused e.
func (e *Error) Unwrap() error { return e.cause }

// component is a normalizer, pre-tokenizer, post-processor or decoder as tokenizer.json writes it: the fields of all their types.
type component struct {
	Type string `json:"type"`

	Normalizers   []*component `json:"normalizers"`
	PreTokenizers []*component `json:"pretokenizers"`
	Processors    []*component `json:"processors"`
	Decoders      []*component `json:"decoders"`

	CleanText    bool         `json:"clean_text"`
	ChineseChars bool         `json:"handle_chinese_chars"`
	StripAccents *bool        `json:"strip_accents"`
	Lowercase    bool         `json:"lowercase"`
	StripLeft    bool         `json:"strip_left"`
	StripRight   bool         `json:"strip_right"`
	Prepend      string       `json:"prepend"`
	Pattern      *patternSpec `json:"pattern"`
	Content      string       `json:"content"`
	Charsmap     string       `json:"precompiled_charsmap"`

	AddPrefixSpace   *bool  `json:"add_prefix_space"`
	TrimOffsets      *bool  `json:"trim_offsets"`
	UseRegex         *bool  `json:"use_regex"`
	Replacement      string `json:"replacement"`
	PrependScheme    string `json:"prepend_scheme"`
	Split            *bool  `json:"split"`
	Behavior         string `json:"behavior"`
	Invert           bool   `json:"invert"`
	IndividualDigits bool   `json:"individual_digits"`
	Delimiter        string `json:"delimiter"`
	Length           *int   `json:"length"`

	Single        []templatePiece            `json:"single"`
	Pair          []templatePiece            `json:"pair"`
	SpecialTokens map[string]templateSpecial `json:"special_tokens"`
	Sep           namedID                    `json:"sep"`
	Cls           namedID                    `json:"cls"`

	Prefix        string `json:"prefix"`
	Suffix        string `json:"suffix"`
	Cleanup       bool   `json:"cleanup"`
	Start         int    `json:"start"`
	Stop          int    `json:"stop"`
	PadToken      string `json:"pad_token"`
	WordDelimiter string `json:"word_delimiter_token"`
}

// namedID is a token as ["[SEP]", 102].
type namedID struct {
	token string
	id    int
}

func (n *namedID) UnmarshalJSON(data []byte) error {
	var id uint32
	if err := json.Unmarshal(data, &[]any{&n.token, &id}); err != nil {
		return err
	}
	n.id = int(id)
	return nil
}

const maxDepth = 64 // sequences within sequences

// sequence makes one part of several.
func sequence[T any](cs []*component, depth int, one func(*component, int) (T, error), all func([]T) T) (T, error) {
	var none T
	if depth >= maxDepth {
		return none, &Error{Part: "Sequence", Problem: "too many sequences within sequences"}
	}
	parts := make([]T, len(cs))
	for i, c := range cs {
		if c == nil {
			return none, &Error{Part: "Sequence", Problem: "a part is null"}
		}
		var err error
		if parts[i], err = one(c, depth+1); err != nil {
			return none, err
		}
	}
	return all(parts), nil
}

func (c *component) prefixSpace() bool { return c.AddPrefixSpace == nil || *c.AddPrefixSpace }

// scheme returns when a Metaspace puts its character before a text.
func (c *component) scheme() (string, error) {
	scheme := c.PrependScheme
	if scheme == "" {
		scheme = "always"
	}
	if !c.prefixSpace() {
		if c.PrependScheme != "" && c.PrependScheme != "never" {
			return "", &Error{Part: c.Type, Problem: "add_prefix_space does not match declared prepend_scheme"}
		}
		scheme = "never"
	}
	if scheme != "always" && scheme != "first" && scheme != "never" {
		return "", &Error{Part: c.Type, Name: scheme, Problem: "is no prepend_scheme"}
	}
	if utf8.RuneCountInString(c.Replacement) != 1 {
		return "", &Error{Part: c.Type, Name: c.Replacement, Problem: "is not one character"}
	}
	return scheme, nil
}
