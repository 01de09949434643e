package tokenizer

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// decoder makes text of tokens, which are joined afterwards.
type decoder interface {
	decode(tokens []string) ([]string, error)
}

type decoders []decoder

func (ds decoders) decode(tokens []string) ([]string, error) {
	var err error
	for _, d := range ds {
		if tokens, err = d.decode(tokens); err != nil {
			return nil, err
		}
	}
	return tokens, nil
}

type decodeFunc func(tokens []string) []string

func (f decodeFunc) decode(tokens []string) ([]string, error) { return f(tokens), nil }

// each decodes tokens one by one.
func each(f func(i int, token string) string) decoder {
	return decodeFunc(func(tokens []string) []string {
		out := make([]string, len(tokens))
		for i, t := range tokens {
			out[i] = f(i, t)
		}
		return out
	})
}

func (c *component) decoder(depth int) (decoder, error) {
	switch c.Type {
	case "Sequence":
		return sequence(c.Decoders, depth, (*component).decoder, func(ds []decoder) decoder { return decoders(ds) })
	case "ByteLevel":
		return decodeFunc(decodeBytes), nil
	case "ByteFallback":
		return decodeFunc(decodeFallback), nil
	case "Fuse":
		return decodeFunc(func(tokens []string) []string { return []string{strings.Join(tokens, "")} }), nil
	case "WordPiece":
		return each(c.decodeWordPiece), nil
	case "Metaspace":
		scheme, err := c.scheme()
		return each(func(i int, token string) string {
			space := " "
			if i == 0 && scheme != "never" {
				space = ""
			}
			return strings.ReplaceAll(token, c.Replacement, space)
		}), err
	case "Replace":
		pattern, err := c.Pattern.compile()
		return &replacer{pattern, c.Content}, err
	case "Strip":
		if c.Start < 0 || c.Stop < 0 {
			return nil, &Error{Part: "decoder", Name: c.Type, Problem: "has a length below 0"}
		}
		return each(c.decodeStrip), nil
	case "BPEDecoder":
		return decodeFunc(func(tokens []string) []string {
			out := make([]string, len(tokens))
			for i, t := range tokens {
				out[i] = strings.ReplaceAll(t, c.Suffix, map[bool]string{false: " "}[i == len(tokens)-1])
			}
			return out
		}), nil
	case "CTC":
		return decodeFunc(c.decodeCTC), nil
	}
	return nil, &Error{Part: "decoder", Name: c.Type, Problem: "is not known"}
}

// decodeBytes reads each character as the byte for which it stands; a token with a character that stands for none is its own text.
func decodeBytes(tokens []string) []string {
	var all []byte
	for _, t := range tokens {
		var ok bool
		if all, ok = unbyte(all, t); !ok {
			all = append(all, t...)
		}
	}
	return []string{lossy(all)}
}

// decodeFallback makes characters of tokens such as <0xE2>, each U+FFFD where together they are not UTF-8.
func decodeFallback(tokens []string) []string {
	var out []string
	var pending []byte
	flush := func() {
		if utf8.Valid(pending) {
			out = append(out, string(pending))
		} else {
			for range pending {
				out = append(out, "\ufffd")
			}
		}
		pending = pending[:0]
	}
	for _, t := range tokens {
		if b, ok := fallbackByte(t); ok {
			pending = append(pending, b)
			continue
		}
		if len(pending) > 0 {
			flush()
		}
		out = append(out, t)
	}
	if len(pending) > 0 {
		flush()
	}
	return out
}

func fallbackByte(token string) (byte, bool) {
	if len(token) != 6 || token[:3] != "<0x" || token[5] != '>' {
		return 0, false
	}
	digits := token[3:5]
	if digits[0] == '+' { // Rust reads a sign here
		digits = digits[1:]
	}
	b, err := strconv.ParseUint(digits, 16, 8)
	return byte(b), err == nil
}

func (r *replacer) decode(tokens []string) ([]string, error) {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		var b strings.Builder
		err := r.pattern.find(t, func(lo, hi int, match bool) {
			if match {
				b.WriteString(r.content)
			} else {
				b.WriteString(t[lo:hi])
			}
		})
		if err != nil {
			return nil, err
		}
		out[i] = b.String()
	}
	return out, nil
}

// decodeStrip takes Content off the beginning of a token, up to Start times, and off its end, up to Stop times.
func (c *component) decodeStrip(_ int, token string) string {
	for range c.Start {
		rest, ok := strings.CutPrefix(token, c.Content)
		if !ok || c.Content == "" {
			break
		}
		token = rest
	}
	for range c.Stop {
		rest, ok := strings.CutSuffix(token, c.Content)
		if !ok || c.Content == "" {
			break
		}
		token = rest
	}
	return token
}

// tidy takes away the spaces that cutting English at its punctuation leaves, in this order.
var tidy = [][2]string{
	{" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"}, {" 'm", "'m"}, {" do not", " don't"},
	{" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
}

func cleaned(s string) string {
	for _, t := range tidy {
		s = strings.ReplaceAll(s, t[0], t[1])
	}
	return s
}

func (c *component) decodeWordPiece(i int, token string) string {
	if i > 0 {
		if rest, inside := strings.CutPrefix(token, c.Prefix); inside {
			token = rest
		} else {
			token = " " + token
		}
	}
	if c.Cleanup {
		token = cleaned(token)
	}
	return token
}

// decodeCTC drops tokens that repeat the one before, and the token that stands between.
func (c *component) decodeCTC(tokens []string) []string {
	var out []string
	for i, t := range tokens {
		if i > 0 && t == tokens[i-1] {
			continue
		}
		t = strings.ReplaceAll(t, c.PadToken, "")
		if c.Cleanup {
			t = strings.ReplaceAll(cleaned(t), c.WordDelimiter, " ")
		}
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}
