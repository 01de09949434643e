package serve

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"time"
)

// embeddings is a request for the vectors of texts.
type embeddings struct {
	Model      string          `json:"model"`
	Input      prompts         `json:"input"`
	Format     *string         `json:"encoding_format"`
	Dimensions *int            `json:"dimensions"`
	User       json.RawMessage `json:"user"`
}

// embedding is one of the answer's.
type embedding struct {
	Object string `json:"object"`
	Index  int    `json:"index"`
	Vector any    `json:"embedding"`
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request) error {
	var q embeddings
	if err := s.read(w, r, &q); err != nil {
		return err
	}
	ids, err := s.inputs(&q)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Time)
	defer cancel()
	vectors, err := s.Encoder.encode(ctx, ids)
	if err != nil {
		return err
	}
	data, tokens := make([]embedding, len(vectors)), 0
	for i, v := range vectors {
		data[i] = embedding{"embedding", i, v}
		if q.Format != nil && *q.Format == "base64" {
			data[i].Vector = packed(v)
		}
		tokens += len(ids[i])
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.Silence))
	return reply(w, http.StatusOK, map[string]any{
		"object": "list", "model": s.Name, "data": data, "usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens},
	})
}

// inputs returns the tokens of the texts, and refuses what makes no sense.
func (s *Server) inputs(q *embeddings) ([][]int, error) {
	if err := s.known(q.Model); err != nil {
		return nil, err
	}
	if s.Encoder == nil {
		return nil, &problem{http.StatusNotFound, "`" + q.Model + "` makes no embeddings; it writes texts", invalid, "model", "model_not_found"}
	}
	c := &s.Encoder.model.Config
	switch n := q.Input.count(); {
	case n == 0:
		return nil, bad("input", "you must provide an input parameter that is not empty")
	case n > s.Inputs:
		return nil, bad("input", "Invalid 'input': array too long. Expected an array with maximum length %d, but got an array with length %d instead", s.Inputs, n)
	case q.Format != nil && *q.Format != "float" && *q.Format != "base64":
		return nil, bad("encoding_format", "Invalid value: '%s'. Supported values are: 'float' and 'base64'", *q.Format)
	case q.Dimensions != nil && *q.Dimensions != c.Width:
		return nil, bad("dimensions", "This model has embeddings of %d dimensions, not of %d", c.Width, *q.Dimensions)
	}
	ids, err := s.tokensOf(q.Input)
	if err != nil {
		return nil, err
	}
	for i, text := range ids {
		if len(text) == 0 {
			return nil, bad("input", "Input %d has no tokens", i)
		}
		if len(text) > c.Positions {
			return nil, &problem{http.StatusBadRequest, tooLong(c.Positions, len(text)), invalid, "input", "context_length_exceeded"}
		}
		for _, id := range text {
			if id < 0 || id >= c.Vocabulary {
				return nil, bad("input", "Token %d is not among the %d that the model knows", id, c.Vocabulary)
			}
		}
	}
	return ids, nil
}

// packed returns numbers as the bytes of little-endian float32, in base64.
func packed(v []float32) string {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}
