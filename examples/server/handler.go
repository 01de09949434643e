package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxBody is the size of the largest body that is read: 784 numbers with all their digits take less.
const maxBody = 64 << 10

// handler returns the server's two pages.
func handler(p *predictor, timeout time.Duration) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]any{
			"status": "ok", "device": p.device, "requests": p.requests.Load(), "batches": p.batches.Load(),
		})
	})
	mux.HandleFunc("POST /predict", func(w http.ResponseWriter, r *http.Request) {
		pixels, err := picture(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			refuse(w, err)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		answer, err := p.predict(ctx, pixels)
		if err != nil {
			refuse(w, err)
			return
		}
		reply(w, http.StatusOK, answer)
	})
	return mux
}

// badRequest is a mistake of the client's. Its text says what was found and what would do.
type badRequest string

func (e badRequest) Error() string { return string(e) }

// picture reads the numbers of a picture, which come as 0 to 255, and returns them as the model wants them, from 0 to 1.
func picture(body io.Reader) ([]float32, error) {
	var input struct {
		Pixels []float32 `json:"pixels"`
	}
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields() // a misspelt field would else be a picture without pixels
	if err := decoder.Decode(&input); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, err
		}
		return nil, badRequest(fmt.Sprintf(`the body has to be {"pixels": [...]}: %v`, err))
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, badRequest("the body goes on behind the picture")
	}
	if n := len(input.Pixels); n != pixels {
		return nil, badRequest(fmt.Sprintf("pixels: got %d numbers, want %d: 28 rows of 28", n, pixels))
	}
	for i, v := range input.Pixels {
		if v < 0 || v > 255 {
			return nil, badRequest(fmt.Sprintf("pixels[%d] is %v, want 0 to 255", i, v))
		}
		input.Pixels[i] = v / 255
	}
	return input.Pixels, nil
}

// refuse says what went wrong, and by the status whose fault it is.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	text := err.Error()
	switch _, bad := errors.AsType[badRequest](err); {
	case bad:
		status = http.StatusBadRequest
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		status, text = http.StatusServiceUnavailable, "too busy to answer in time: try again"
		w.Header().Set("Retry-After", "1")
	default:
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status, text = http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", tooLarge.Limit)
		}
	}
	reply(w, status, map[string]string{"error": text})
}

// reply writes JSON. That a client is gone by then is nobody's concern.
func reply(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil { // JSON knows no NaN, which a model can give
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer is not a number"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}
