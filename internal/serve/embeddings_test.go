package serve

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"
	"strings"
	"testing"

	"cresset/models/bert"
	"cresset/tensor"
)

// TestEmbeddings compares vectors of texts of several lengths with those of each alone, in both formats.
func TestEmbeddings(t *testing.T) {
	s := newEncoder(t)
	url := listen(t, s) + "/v1/embeddings"
	texts := []string{"the king of the sea", "a", "größer 日本 and more of it", "the king"}
	type vectors[T any] struct {
		Data []struct {
			Index     int
			Embedding T
		}
		Usage struct {
			Tokens int `json:"prompt_tokens"`
		}
	}
	var floats vectors[[]float32]
	var packed vectors[string]
	if status := ask(t, url, mustJSON(map[string]any{"model": "tiny", "input": texts}), &floats); status != http.StatusOK {
		t.Fatal(status)
	}
	ask(t, url, mustJSON(map[string]any{"model": "tiny", "input": texts, "encoding_format": "base64"}), &packed)
	tokens := 0
	for i, text := range texts {
		e, err := s.Words.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		tokens += e.Len()
		in := bert.Input{IDs: tensor.Of([][]int{e.IDs})}
		want := tensor.Values[float32](in.Mean(s.Encoder.model.Hidden(in)))
		length := 0.0
		for _, v := range want {
			length += float64(v) * float64(v)
		}
		bytes, err := base64.StdEncoding.DecodeString(packed.Data[i].Embedding)
		if err != nil || len(bytes) != 4*len(want) {
			t.Fatal(len(bytes), err)
		}
		for k, v := range want {
			got := floats.Data[i].Embedding[k]
			if off := math.Abs(float64(got) - float64(v)/math.Sqrt(length)); !(off < 1e-5) || math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*k:])) != got {
				t.Errorf("text %d: element %d is %v, %v off", i, k, got, off)
			}
		}
	}
	if floats.Usage.Tokens != tokens {
		t.Errorf("%d tokens, not %d", floats.Usage.Tokens, tokens)
	}
}

// TestEmbeddingsAreRefused names what is wrong.
func TestEmbeddingsAreRefused(t *testing.T) {
	s := newEncoder(t)
	s.Limits = Limits{Inputs: 2}
	url := listen(t, s) + "/v1/"
	for body, want := range map[string]string{
		`{"model": "tiny"}`:                                                         "input parameter that is not empty",
		`{"model": "tiny", "input": ["a", "b", "c"]}`:                               "maximum length 2",
		`{"model": "tiny", "input": "a", "encoding_format": "hex"}`:                 "Supported values are: 'float' and 'base64'",
		`{"model": "tiny", "input": "a", "dimensions": 8}`:                          "16 dimensions, not of 8",
		`{"model": "tiny", "input": [[]]}`:                                          "Input 0 has no tokens",
		`{"model": "tiny", "input": [1000]}`:                                        "Token 1000 is not among",
		`{"model": "tiny", "input": "` + strings.Repeat("a ", 40) + `"}`:            "maximum context length is 32 tokens",
		`{"model": "tiny", "input": 5}`:                                             "Expected a string",
		`{"model": "tiny", "input": "a", "format": "float"}`:                        "Unrecognized request argument supplied: format",
		`{"model": "tiny", "input": "a", "encoding_format": "float", "user": "me"}`: "",
	} {
		var got refused
		status := ask(t, url+"embeddings", body, &got)
		if want == "" && status == http.StatusOK {
			continue
		}
		if status != http.StatusBadRequest || !strings.Contains(got.Error.Message, want) {
			t.Errorf("%.80s: %d %+v, not %q", body, status, got.Error, want)
		}
	}
	var got refused
	if status := ask(t, url+"completions", `{"model": "tiny", "prompt": "a"}`, &got); status != http.StatusNotFound || !strings.Contains(got.Error.Message, "does not write texts") {
		t.Errorf("a completion: %d %+v", status, got.Error)
	}
}
