package hardware

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// FileError is a hardware file that is refused.
type FileError struct {
	File   string
	Line   int    // from 1
	Column int    // from 1, in bytes
	Field  string // such as gpus[0].used; "" for the whole
	Text   string // what is wrong
}

// Error returns the position, the field and what is wrong there.
func (e *FileError) Error() string {
	where := fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Column)
	if e.Field != "" {
		where += e.Field + ": "
	}
	return where + e.Text
}

// kind is what a node holds.
type kind string

const (
	object kind = "an object"
	list   kind = "a list"
	text   kind = "a string"
	number kind = "a number"
	truth  kind = "true or false"
	null   kind = "null"
)

// node is a value of a JSON file that knows where it stands.
type node struct {
	kind  kind
	at    int    // offset in the file
	field string // path from the root
	text  string // of strings and numbers
	truth bool
	names []string // of an object's values
	items []*node  // of objects and lists
}

// maxDepth is past what any hardware file nests.
const maxDepth = 16

// tree reads JSON values with their positions.
type tree struct {
	file string
	data []byte
	dec  *json.Decoder
}

func parseTree(file string, data []byte) (*tree, *node, error) {
	t := &tree{file, data, json.NewDecoder(bytes.NewReader(data))}
	t.dec.UseNumber()
	root, err := t.value("", 0)
	if err != nil {
		return nil, nil, err
	}
	if at := t.next(); at < len(data) {
		return nil, nil, t.errorAt(at, "", "more after the end")
	}
	return t, root, nil
}

func (t *tree) errorAt(at int, field, format string, args ...any) error {
	before := t.data[:min(at, len(t.data))]
	return &FileError{
		File:   t.file,
		Line:   1 + bytes.Count(before, []byte{'\n'}),
		Column: len(before) - bytes.LastIndexByte(before, '\n'),
		Field:  field,
		Text:   fmt.Sprintf(format, args...),
	}
}

func (t *tree) errorIn(n *node, format string, args ...any) error {
	return t.errorAt(n.at, n.field, format, args...)
}

// next returns where the next token starts.
func (t *tree) next() int {
	at := int(t.dec.InputOffset())
	return at + len(t.data[at:]) - len(bytes.TrimLeft(t.data[at:], " \t\r\n,:"))
}

func (t *tree) token(field string) (json.Token, error) {
	at := t.next()
	token, err := t.dec.Token()
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return token, nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, t.errorAt(len(t.data), field, "the file ends too early")
	case errors.As(err, &syntax):
		return nil, t.errorAt(at, field, "not JSON: %s", strings.TrimPrefix(syntax.Error(), "json: "))
	}
	return nil, t.errorAt(at, field, "not JSON: %v", err)
}

func (t *tree) value(field string, depth int) (*node, error) {
	n := &node{at: t.next(), field: field}
	if depth > maxDepth {
		return nil, t.errorIn(n, "nested too deep")
	}
	token, err := t.token(field)
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case string:
		n.kind, n.text = text, v
	case json.Number:
		n.kind, n.text = number, v.String()
	case bool:
		n.kind, n.truth = truth, v
	case nil:
		n.kind = null
	case json.Delim:
		n.kind = list
		if v == '{' {
			n.kind = object
		}
		err = t.inside(n, depth)
	}
	return n, err
}

// inside reads an object or a list up to its end.
func (t *tree) inside(n *node, depth int) error {
	for t.dec.More() {
		field := fmt.Sprintf("%s[%d]", n.field, len(n.items))
		if n.kind == object {
			at := t.next()
			token, err := t.token(n.field)
			if err != nil {
				return err
			}
			name := token.(string) // the decoder lets nothing else stand here
			field = strings.TrimPrefix(n.field+"."+name, ".")
			if slices.Contains(n.names, name) {
				return t.errorAt(at, field, "given twice")
			}
			n.names = append(n.names, name)
		}
		item, err := t.value(field, depth+1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := t.token(n.field)
	return err
}
