package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// text walks over the JSON of a header. Unlike encoding/json it sees keys that come twice, takes whole numbers only where sizes are
// meant, and makes nothing that the caller does not keep.
type text struct {
	source *source
	place  string
	bytes  []byte
	at     int
	depth  int
}

// newText returns a walk over bytes, which must be UTF-8.
func newText(s *source, place string, b []byte) (*text, error) {
	if !utf8.Valid(b) {
		return nil, s.fault(place, "UTF-8", "other bytes")
	}
	return &text{source: s, place: place, bytes: b}, nil
}

func (t *text) fault(expected string) error {
	found := "the end"
	if t.at < len(t.bytes) {
		found = strconv.Quote(string(t.bytes[t.at:min(t.at+12, len(t.bytes))]))
	}
	return t.source.fault(fmt.Sprintf("%s, byte %d", t.place, t.at), expected, "%s", found)
}

// peek returns the next byte that is no white space, 0 at the end.
func (t *text) peek() byte {
	for t.at < len(t.bytes) {
		switch c := t.bytes[t.at]; c {
		case ' ', '\t', '\n', '\r':
			t.at++
		default:
			return c
		}
	}
	return 0
}

// take passes a byte of punctuation.
func (t *text) take(c byte) error {
	if t.peek() != c {
		return t.fault(strconv.QuoteRune(rune(c)))
	}
	t.at++
	return nil
}

// end wants nothing but white space to follow.
func (t *text) end() error {
	if t.peek() != 0 || t.at < len(t.bytes) {
		return t.fault("the end of the text")
	}
	return nil
}

// sequence passes items between two brackets.
func (t *text) sequence(open, closing byte, item func() error) error {
	if err := t.take(open); err != nil {
		return err
	}
	if t.depth++; t.depth > t.source.limits.Depth {
		return t.fault(fmt.Sprintf("at most %d values in one another", t.source.limits.Depth))
	}
	defer func() { t.depth-- }()
	if t.peek() == closing {
		t.at++
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if t.peek() != ',' {
			return t.take(closing)
		}
		t.at++
	}
}

// object passes an object; value passes the value of each key. Whether a key comes twice is for the caller to see.
func (t *text) object(value func(key string) error) error {
	return t.sequence('{', '}', func() error {
		key, err := t.str()
		if err != nil {
			return err
		}
		if err := t.take(':'); err != nil {
			return err
		}
		return value(key)
	})
}

// str passes a string.
func (t *text) str() (string, error) {
	if t.peek() != '"' {
		return "", t.fault("a string")
	}
	start := t.at
	for i := start + 1; i < len(t.bytes); i++ {
		switch c := t.bytes[i]; {
		case c == '"':
			raw := t.bytes[start : i+1]
			if bytes.IndexByte(raw, '\\') < 0 {
				t.at = i + 1
				return string(raw[1 : len(raw)-1]), nil
			}
			s, ok := unquote(raw)
			if !ok {
				return "", t.fault("a string with valid escapes")
			}
			t.at = i + 1
			return s, nil
		case c == '\\':
			i++
		case c < ' ':
			t.at = i
			return "", t.fault("no control character in a string")
		}
	}
	return "", t.fault("a string that ends")
}

// unquote returns what a string with escapes stands for. Half of a surrogate pair, for which encoding/json puts U+FFFD, is refused.
func unquote(raw []byte) (s string, ok bool) {
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	replaced := strings.ContainsRune(s, utf8.RuneError)
	return s, !replaced || bytes.ContainsRune(raw, utf8.RuneError) || bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`))
}

// size passes a whole number that is not negative and fits an int.
func (t *text) size() (int, error) {
	t.peek()
	end := t.at
	for end < len(t.bytes) && t.bytes[end] >= '0' && t.bytes[end] <= '9' {
		end++
	}
	digits := t.bytes[t.at:end]
	n, err := strconv.ParseUint(string(digits), 10, strconv.IntSize-1)
	if err != nil || len(digits) > 1 && digits[0] == '0' || end < len(t.bytes) && bytes.IndexByte([]byte(".eE"), t.bytes[end]) >= 0 {
		return 0, t.fault("a whole number from 0 to 2^63-1")
	}
	t.at = end
	return int(n), nil
}

// skip passes any value.
func (t *text) skip() error {
	switch t.peek() {
	case '{':
		return t.object(func(string) error { return t.skip() })
	case '[':
		return t.sequence('[', ']', t.skip)
	case '"':
		_, err := t.str()
		return err
	}
	end := t.at
	for end < len(t.bytes) && bytes.IndexByte([]byte(" \t\r\n,]}"), t.bytes[end]) < 0 {
		end++
	}
	if !json.Valid(t.bytes[t.at:end]) {
		return t.fault("a value")
	}
	t.at = end
	return nil
}
