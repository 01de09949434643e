package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// read decodes the body of a request. Behind it the client may take its time: it waits for the answer.
func (s *Server) read(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.Body))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return err
		}
		return &problem{http.StatusRequestTimeout, "The body did not come whole: " + err.Error(), invalid, "", ""}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return decode(body, into)
}

// decode reads a JSON object whose fields are all known.
func decode(body []byte, into any) error {
	if !utf8.Valid(body) {
		return bad("", "The body is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields() // a misspelt parameter would else have no effect
	if err := d.Decode(into); err != nil {
		return misread(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return bad("", "The body goes on behind the JSON object")
	}
	return nil
}

// misread puts an error of encoding/json into the interface's words.
func misread(err error) error {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := wrong.Field[strings.LastIndex(wrong.Field, ".")+1:]
		if field == "" {
			return bad("", "The body must be a JSON object, but is %s", withArticle(wrong.Value))
		}
		return bad(field, "Invalid type for '%s': expected %s, but got %s instead", field, kindOf(wrong.Type), withArticle(wrong.Value))
	}
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		name = strings.Trim(name, `"`)
		return bad(name, "Unrecognized request argument supplied: %s", name)
	}
	if errors.Is(err, io.EOF) {
		return bad("", "The body is empty, where a JSON object is expected")
	}
	return bad("", "The body is not valid JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// withArticle returns what encoding/json calls a value, such as "number 1.5", as a phrase.
func withArticle(value string) string {
	if strings.ContainsAny(value[:1], "aeiou") {
		return "an " + value
	}
	return "a " + value
}

// kindOf names what JSON has for a type.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Float64:
		return "a decimal"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// texts is a string, or an array of strings.
type texts []string

// UnmarshalJSON reads either.
func (t *texts) UnmarshalJSON(data []byte) error {
	var one *string
	if json.Unmarshal(data, &one) == nil {
		if *t = nil; one != nil {
			*t = texts{*one}
		}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// prompts are what comes as a string, an array of strings, an array of tokens, or an array of such arrays.
type prompts struct {
	texts  []string
	tokens [][]int // where there are no texts
}

// UnmarshalJSON reads any of them.
func (p *prompts) UnmarshalJSON(data []byte) error {
	*p = prompts{}
	var one string
	var several []string
	var ids []int
	switch {
	case string(data) == "null":
		return nil
	case json.Unmarshal(data, &one) == nil:
		p.texts = []string{one}
	case json.Unmarshal(data, &several) == nil:
		p.texts = several
	case json.Unmarshal(data, &ids) == nil:
		p.tokens = [][]int{ids}
	case json.Unmarshal(data, &p.tokens) != nil:
		return bad("", "Expected a string, an array of strings, an array of tokens, or an array of arrays of tokens, but got %s", shortened(data))
	}
	return nil
}

// shortened returns the beginning of a text that a message quotes.
func shortened(data []byte) string {
	const most = 40
	if len(data) <= most {
		return string(data)
	}
	return strings.ToValidUTF8(string(data[:most]), "") + "…"
}

// count returns how many prompts there are.
func (p prompts) count() int { return len(p.texts) + len(p.tokens) }

// between refuses numbers outside of their range.
func between[N int | int64 | float64](param string, v *N, least, most N) error {
	if v == nil || *v >= least && *v <= most {
		return nil
	}
	kind := "decimal"
	if _, whole := any(*v).(float64); !whole {
		kind = "integer"
	}
	if *v > most {
		return bad(param, "Invalid '%s': %s above maximum value. Expected a value <= %v, but got %v instead", param, kind, most, *v)
	}
	return bad(param, "Invalid '%s': %s below minimum value. Expected a value >= %v, but got %v instead", param, kind, least, *v)
}

// unsupported refuses parameters that change what would be written in ways that there are not here, unless they leave it as it is.
func unsupported(param string, raw json.RawMessage, neutral ...string) error {
	text := strings.TrimSpace(string(raw))
	if slices.Contains(append(neutral, "", "null"), text) {
		return nil
	}
	return bad(param, "'%s' is not supported by this server", param)
}
