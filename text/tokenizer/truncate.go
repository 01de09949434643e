package tokenizer

import "encoding/json"

// Strategy says which text of a pair truncation cuts.
type Strategy string

// The strategies of Truncation.
const (
	LongestFirst Strategy = "LongestFirst" // the longer of the two, both when both are longer than half
	OnlyFirst    Strategy = "OnlyFirst"
	OnlySecond   Strategy = "OnlySecond"
)

// Truncation cuts what is longer than MaxLength tokens, those that the tokenizer adds among them. It is an option of Encode.
type Truncation struct {
	MaxLength int
	Stride    int      // by how many tokens the parts that are cut off overlap
	Strategy  Strategy // LongestFirst where it is ""
	Left      bool     // cuts off the beginning instead of the end
}

// Padding lengthens encodings. It is an option of Encode.
type Padding struct {
	Length     int // 0: that of the longest of a batch
	MultipleOf int // rounds the length up; 0: it stays
	ID         int
	TypeID     int
	Token      string
	Left       bool // pads the beginning instead of the end
}

func (t Truncation) encode(s *settings) { s.truncation = &t }
func (p Padding) encode(s *settings)    { s.padding = &p }

// ErrTruncation says that a text cannot be cut as Truncation wants: what is to be cut is missing or too short, or Stride is too long.
type ErrTruncation struct{ Problem string }

func (e *ErrTruncation) Error() string { return "tokenizer: truncation: " + e.Problem }

// truncate cuts e to length tokens; the parts that are cut off overlap by stride.
func (e *Encoding) truncate(length int, t *Truncation) error {
	n := e.Len()
	if length >= n {
		return nil
	}
	if length == 0 {
		whole := *e
		*e = Encoding{Overflowing: []*Encoding{&whole}}
		return nil
	}
	if t.Stride >= length || t.Stride < 0 {
		return &ErrTruncation{"the stride has to be less than the length that is left for the text"}
	}
	var parts []*Encoding
	step := length - t.Stride
	for i := 0; ; i += step {
		lo, hi := i, min(i+length, n)
		if t.Left {
			lo, hi = max(n-i-length, 0), n-i
		}
		parts = append(parts, e.slice(lo, hi))
		if lo == 0 && t.Left || hi == n && !t.Left {
			break
		}
	}
	*e = *parts[0]
	e.Overflowing = parts[1:]
	return nil
}

// truncatePair cuts first and second, which may be nil, to length tokens together.
func truncatePair(first, second *Encoding, length int, t *Truncation) error {
	if length < 0 {
		return &ErrTruncation{"the tokens that are added are more than MaxLength"}
	}
	n1, n2 := first.Len(), 0
	if second != nil {
		n2 = second.Len()
	}
	if n1+n2 <= length && length > 0 {
		return nil
	}
	remove := n1 + n2 - length
	switch {
	case length == 0 || second == nil && t.Strategy != OnlySecond && t.Strategy != OnlyFirst:
		n1, n2 = length, 0
	case t.Strategy == OnlyFirst:
		n1 -= remove
	case t.Strategy == OnlySecond && second == nil:
		return &ErrTruncation{"the second text is missing"}
	case t.Strategy == OnlySecond:
		n2 -= remove
	case t.Strategy == LongestFirst || t.Strategy == "":
		n1, n2 = shares(n1, n2, length)
	default:
		return &ErrTruncation{"unknown strategy " + string(t.Strategy)}
	}
	if length > 0 && (t.Strategy == OnlyFirst && n1 <= 0 || t.Strategy == OnlySecond && n2 <= 0) {
		return &ErrTruncation{"the text to cut is too short"}
	}
	if err := first.truncate(n1, t); err != nil || second == nil {
		return err
	}
	return second.truncate(n2, t)
}

// shares returns how much of two texts stays when the longer is cut first.
func shares(n1, n2, length int) (int, int) {
	if n1 > n2 {
		n2, n1 = shares(n2, n1, length)
		return n1, n2
	}
	if n1 > length {
		n2 = n1
	} else {
		n2 = max(n1, length-n1)
	}
	if n1+n2 > length {
		n1 = length / 2
		n2 = n1 + length%2
	}
	return n1, n2
}

// limits are truncation and padding as tokenizer.json writes them.
type limits struct {
	Truncation *truncationSpec `json:"truncation"`
	Padding    *paddingSpec    `json:"padding"`
}

type truncationSpec struct {
	Direction string   `json:"direction"`
	MaxLength int      `json:"max_length"`
	Strategy  Strategy `json:"strategy"`
	Stride    int      `json:"stride"`
}

type paddingSpec struct {
	Strategy   paddingLength `json:"strategy"`
	Direction  string        `json:"direction"`
	MultipleOf *int          `json:"pad_to_multiple_of"`
	ID         int           `json:"pad_id"`
	TypeID     int           `json:"pad_type_id"`
	Token      string        `json:"pad_token"`
}

// paddingLength is {"Fixed": 10}, or 0 for "BatchLongest".
type paddingLength int

func (p *paddingLength) UnmarshalJSON(data []byte) error {
	var name string
	if json.Unmarshal(data, &name) == nil {
		return nil
	}
	var fixed struct{ Fixed int }
	err := json.Unmarshal(data, &fixed)
	*p = paddingLength(fixed.Fixed)
	return err
}

// maxLength bounds what a file may ask for.
const maxLength = 1 << 24

func (l *limits) settings() (s settings, err error) {
	if t := l.Truncation; t != nil {
		s.truncation = &Truncation{MaxLength: t.MaxLength, Stride: t.Stride, Strategy: t.Strategy, Left: t.Direction == "Left"}
		if t.MaxLength < 0 || t.Stride < 0 {
			return s, &Error{Part: "truncation", Problem: "a length below 0"}
		}
	}
	if p := l.Padding; p != nil {
		s.padding = &Padding{Length: int(p.Strategy), ID: p.ID, TypeID: p.TypeID, Token: p.Token, Left: p.Direction == "Left"}
		if p.MultipleOf != nil {
			s.padding.MultipleOf = *p.MultipleOf
		}
		if s.padding.Length < 0 || s.padding.Length > maxLength || s.padding.MultipleOf < 0 || s.padding.MultipleOf > maxLength {
			return s, &Error{Part: "padding", Problem: "a length out of range"}
		}
	}
	return s, nil
}
