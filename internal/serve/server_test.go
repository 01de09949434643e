package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/models"
	"cresset/models/bert"
	"cresset/models/gpt2"
	"cresset/nn"
	"cresset/tensor"
	"cresset/text/generation"
	"cresset/text/serving"
	"cresset/text/tokenizer"
)

const template = `{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}<assistant>{{ tone }}{% endif %}`

// decoder returns a small model of random weights.
func decoder(t testing.TB) models.Decoder {
	t.Helper()
	tensor.ManualSeed(2)
	m, err := gpt2.New(gpt2.Config{Vocabulary: 1000, Width: 16, Layers: 1, Heads: 2, Positions: 64, InitializerRange: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	return nn.Eval(m)
}

// words returns a tokenizer of the project's tests, with a chat template.
func words(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("..", "..", "text", "tokenizer", "testdata", name, "tokenizer.json"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "tokenizer.json"), text, 0o666)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "tokenizer_config.json"), []byte(`{"chat_template": "`+template+`"}`), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := tokenizer.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// newServer returns a server of a model, which ends with the test.
func newServer(t testing.TB, m models.Decoder, o serving.Options) *Server {
	t.Helper()
	e, err := serving.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return &Server{Name: "tiny", Words: words(t, "bpe"), Engine: e, Usual: generation.Options{End: []int{999}}}
}

// listen answers by a server at the returned address until the test ends.
func listen(t testing.TB, s *Server) string {
	t.Helper()
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return h.URL
}

// newEncoder returns a server of a small BERT of random weights.
func newEncoder(t *testing.T) *Server {
	t.Helper()
	tensor.ManualSeed(3)
	m, err := bert.New(bert.Config{Vocabulary: 1000, Width: 16, Layers: 1, Heads: 2, Positions: 32, InitializerRange: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEncoder(nn.Eval(m), t.TempDir(), 4)
	if err != nil {
		t.Fatal(err)
	}
	return &Server{Name: "tiny", Words: words(t, "wordpiece"), Encoder: e}
}

// ask sends a body and returns the status and the answer.
func ask(t testing.TB, url, body string, into any) int {
	t.Helper()
	status, text := askText(t, url, body)
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Errorf("%s: %v in %s", body, err, text)
	}
	return status
}

func askText(t testing.TB, url, body string) (int, string) {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(text)
}

func getText(t testing.TB, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// parts returns the objects of a stream, and whether it ended as it should.
func parts(t testing.TB, text string) (all []answerJSON, done bool) {
	t.Helper()
	for event := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || done {
			t.Errorf("an event %q", event)
		}
		if data == "[DONE]" {
			done = true
			continue
		}
		var a answerJSON
		d := json.NewDecoder(bytes.NewReader([]byte(data)))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil {
			t.Errorf("%v in %s", err, data)
		}
		all = append(all, a)
	}
	return all, done
}

// alone returns what text/generation makes of a prompt, with the tokens that its model reads.
func alone(t testing.TB, m models.Decoder, w *tokenizer.Tokenizer, prompt string, o generation.Options, stop ...string) string {
	t.Helper()
	var text strings.Builder
	for pieces, err := range generation.Texts(t.Context(), m, w, []string{prompt}, o, stop...) {
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(pieces[0].Text)
	}
	return text.String()
}

// mustJSON returns v as JSON.
func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
