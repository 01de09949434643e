package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"cresset/text/serving"
)

// problem is an error in the interface's form.
type problem struct {
	status  int
	message string
	kind    string
	param   string // which parameter it is about; "": none
	code    string
}

// invalid is the kind of requests that are wrong.
const invalid = "invalid_request_error"

func (p *problem) Error() string { return p.message }

// bad returns the problem of a parameter that makes no sense.
func bad(param, format string, args ...any) *problem {
	return &problem{http.StatusBadRequest, fmt.Sprintf(format, args...), invalid, param, ""}
}

// MarshalJSON writes the problem as clients read it.
func (p *problem) MarshalJSON() ([]byte, error) {
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return json.Marshal(map[string]any{"error": map[string]any{"message": p.message, "type": p.kind, "param": text(p.param), "code": text(p.code)}})
}

// statusGone is what proxies log where a client has left; nobody reads it.
const statusGone = 499

// problemOf says of any error whose fault it is.
func problemOf(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &problem{http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes", tooLarge.Limit), invalid, "", "request_too_large"}
	}
	if wrong, ok := errors.AsType[*serving.RequestError](err); ok {
		return bad("", "%s", wrong.Problem)
	}
	p := &problem{status: http.StatusServiceUnavailable, kind: "server_error", message: err.Error()}
	switch {
	case errors.Is(err, serving.ErrBusy):
		p.status, p.kind, p.code = http.StatusTooManyRequests, "requests", "rate_limit_exceeded"
		p.message = "Too many requests are waiting. Try again later"
	case errors.Is(err, serving.ErrWaited):
		p.code, p.message = "overloaded", "The request has waited too long for others to end. Try again later"
	case errors.Is(err, serving.ErrClosed):
		p.code, p.message = "unavailable", "The server is about to end"
	case errors.Is(err, context.DeadlineExceeded):
		p.status, p.code, p.message = http.StatusGatewayTimeout, "timeout", "The request took longer than the server allows"
	case errors.Is(err, context.Canceled):
		p.status = statusGone
	default:
		p.status = http.StatusInternalServerError
	}
	return p
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, err error) {
	p := problemOf(err)
	if p.status == http.StatusTooManyRequests || p.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	_ = reply(w, p.status, p)
}

// encode returns v as JSON, in which text stays readable.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// reply writes JSON. That a client is gone by then is nobody's concern.
func reply(w http.ResponseWriter, status int, v any) error {
	text, err := encode(v)
	if err != nil { // JSON knows no NaN, which a model can give
		return &problem{http.StatusInternalServerError, "the answer is not a number", "server_error", "", ""}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
	return nil
}
