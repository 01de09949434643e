package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cresset/text/serving"
)

// refused is an error as clients read it.
type refused struct {
	Error struct{ Message, Type, Param, Code string }
}

// TestRequestsAreRefused names what is wrong in the interface's form.
func TestRequestsAreRefused(t *testing.T) {
	s := newServer(t, decoder(t), serving.Options{})
	s.Limits = Limits{Body: 4000, Choices: 3, Tokens: 40}
	url := listen(t, s)
	for _, c := range []struct {
		page, body string
		status     int
		param      string
		code       string
		text       string
	}{
		{"completions", ``, 400, "", "", "The body is empty"},
		{"completions", `{`, 400, "", "", "The body is not valid JSON: unexpected EOF"},
		{"completions", `{"prompt": "a"} {}`, 400, "", "", "goes on behind the JSON object"},
		{"completions", `[1]`, 400, "", "", "The body must be a JSON object, but is an array"},
		{"completions", "{\"prompt\": \"\xff\"}", 400, "", "", "The body is not UTF-8"},
		{"completions", `{"prompt": "` + strings.Repeat("a", 4000) + `"}`, 413, "", "request_too_large", "The body is larger than 4000 bytes"},
		{"completions", `{"prompt": "a"}`, 400, "model", "", "you must provide a model parameter"},
		{"completions", `{"model": "gpt-4", "prompt": "a"}`, 404, "model", "model_not_found", "The model `gpt-4` does not exist"},
		{"completions", `{"model": "tiny"}`, 400, "prompt", "", "you must provide a prompt parameter"},
		{"completions", `{"model": "tiny", "prompt": []}`, 400, "prompt", "", "you must provide a prompt parameter"},
		{"completions", `{"model": "tiny", "prompt": ""}`, 400, "prompt", "", "The prompt has no tokens"},
		{"completions", `{"model": "tiny", "prompt": {"a": 1}}`, 400, "", "", `or an array of arrays of tokens, but got {"a": 1}`},
		{"completions", `{"model": "tiny", "prompt": [1, "a"]}`, 400, "", "", "Expected a string, an array"},
		{"completions", `{"model": "tiny", "prompt": [1, 1000]}`, 400, "prompt", "", "Token 1000 is not among the 1000"},
		{"completions", `{"model": "tiny", "prompt": [-1]}`, 400, "prompt", "", "Token -1 is not among"},
		{"completions", `{"model": "tiny", "prompt": ["a", "b"], "n": 2}`, 400, "prompt", "", "asks for 4 texts"},
		{"completions", `{"model": "tiny", "prompt": "a", "n": 0}`, 400, "n", "", "Invalid 'n': integer below minimum value. Expected a value >= 1, but got 0 instead"},
		{"completions", `{"model": "tiny", "prompt": "a", "max_tokens": 41}`, 400, "max_tokens", "", "max_tokens is too large: 41"},
		{"completions", `{"model": "tiny", "prompt": "a", "max_tokens": 0}`, 400, "max_tokens", "", "integer below minimum"},
		{"completions", `{"model": "tiny", "prompt": "a", "temperature": 2.5}`, 400, "temperature", "", "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 instead"},
		{"completions", `{"model": "tiny", "prompt": "a", "temperature": "hot"}`, 400, "temperature", "", "Invalid type for 'temperature': expected a decimal, but got a string instead"},
		{"completions", `{"model": "tiny", "prompt": "a", "top_p": -1}`, 400, "top_p", "", "below minimum"},
		{"completions", `{"model": "tiny", "prompt": "a", "seed": 1.5}`, 400, "seed", "", "Invalid type for 'seed': expected an integer, but got a number 1.5 instead"},
		{"completions", `{"model": "tiny", "prompt": "a", "stop": ["1", "2", "3", "4", "5"]}`, 400, "stop", "", "maximum length 4"},
		{"completions", `{"model": "tiny", "prompt": "a", "stop": ""}`, 400, "stop", "", "empty string"},
		{"completions", `{"model": "tiny", "prompt": "a", "temprature": 1}`, 400, "temprature", "", "Unrecognized request argument supplied: temprature"},
		{"completions", `{"model": "tiny", "prompt": "a", "presence_penalty": 0.5}`, 400, "presence_penalty", "", "'presence_penalty' is not supported"},
		{"completions", `{"model": "tiny", "prompt": "a", "echo": true}`, 400, "echo", "", "'echo' is not supported"},
		{"completions", `{"model": "tiny", "prompt": "a", "logprobs": 21}`, 400, "logprobs", "", "above maximum"},
		{"completions", `{"model": "tiny", "prompt": "a", "stream_options": {"include_usage": true}}`, 400, "stream_options", "", "only allowed when 'stream' is enabled"},
		{"completions", `{"model": "tiny", "prompt": "` + strings.Repeat("the king ", 60) + `"}`, 400, "prompt", "context_length_exceeded", "This model's maximum context length is 64 tokens. However, you requested"},
		{"chat/completions", `{"model": "tiny"}`, 400, "messages", "", "empty array"},
		{"chat/completions", `{"model": "tiny", "messages": [{"role": "king", "content": "a"}]}`, 400, "messages", "", "Invalid value: 'king' for the role of message 0"},
		{"chat/completions", `{"model": "tiny", "messages": [{"role": "assistant", "tool_calls": [{}]}]}`, 400, "tool_calls", "", "'tool_calls' is not supported"},
		{"chat/completions", `{"model": "tiny", "messages": [{"role": "user", "content": 5}]}`, 400, "messages", "", "Invalid 'content': expected a string"},
		{"chat/completions", `{"model": "tiny", "messages": [{"role": "user", "content": [{"type": "image_url"}]}]}`, 400, "messages", "", "parts of type 'image_url'"},
		{"chat/completions", `{"model": "tiny", "messages": [{"role": "user", "content": "a"}], "top_logprobs": 2}`, 400, "top_logprobs", "", "only allowed when 'logprobs' is enabled"},
		{"chat/completions", `{"model": "tiny", "messages": [{"role": "user", "content": "a"}], "tools": [{"type": "function"}]}`, 400, "tools", "", "'tools' is not supported"},
		{"chat/completions", `{"model": "tiny", "messages": [{"role": "user", "content": "a"}], "response_format": {"type": "json_object"}}`, 400, "response_format", "", "type 'json_object'"},
		{"embeddings", `{"model": "tiny", "input": "a"}`, 404, "model", "model_not_found", "makes no embeddings"},
		{"images", `{}`, 404, "", "unknown_url", "Invalid URL (POST /v1/images)"},
		{"models", `{}`, 405, "", "method_not_supported", "Not allowed to POST on /v1/models"},
	} {
		var got refused
		status := ask(t, url+"/v1/"+c.page, c.body, &got)
		if e := got.Error; status != c.status || e.Param != c.param || e.Code != c.code || !strings.Contains(e.Message, c.text) || e.Type != "invalid_request_error" {
			t.Errorf("%s %.80s:\n\tgot %d %+v\n\twant %d %q %q %q", c.page, c.body, status, e, c.status, c.param, c.code, c.text)
		}
	}
	if st := s.Engine.Stats(); st.Steps != 0 {
		t.Errorf("the model was asked: %+v", st)
	}
}

// TestNeutralParametersAreTaken sends what clients send although it has no effect.
func TestNeutralParametersAreTaken(t *testing.T) {
	url := listen(t, newServer(t, decoder(t), serving.Options{}))
	for page, body := range map[string]string{
		"completions": `{"model": "tiny", "prompt": "a", "max_tokens": null, "n": null, "stop": null, "presence_penalty": 0, "logit_bias": {}, "user": "me", "best_of": 1, "suffix": null, "echo": false, "top_k": -1}`,
		"chat/completions": `{"model": "tiny", "messages": [{"role": "user", "content": "a", "name": "me"}, {"role": "assistant", "content": null, "refusal": null, "tool_calls": null, "annotations": []}, {"role": "user", "content": "b"}], "tools": [], "tool_choice": "none",
			"response_format": {"type": "text"}, "metadata": {"a": "b"}, "store": false, "parallel_tool_calls": true, "frequency_penalty": 0.0, "modalities": ["text"], "max_tokens": 3}`,
	} {
		var got answerJSON
		if status := ask(t, url+"/v1/"+page, body, &got); status != http.StatusOK || len(got.Choices) != 1 {
			t.Errorf("%s: %d %+v", page, status, got)
		}
	}
}

// TestAccess wants the token, and nothing of those who only look whether the server lives.
func TestAccess(t *testing.T) {
	s := newServer(t, decoder(t), serving.Options{})
	s.Token = "secret"
	h := s.Handler()
	for header, want := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer secret": 200, "bearer  secret ": 200, "Basic secret": 401, "secret": 401, "Bearer secret2": 401} {
		for _, page := range []string{"/v1/models", "/v1/models/tiny", "/metrics", "/health", "/nothing"} {
			r := httptest.NewRequest(http.MethodGet, page, nil)
			r.Header.Set("Authorization", header)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			status := want
			if page == "/health" {
				status = 200
			} else if page == "/nothing" && want == 200 {
				status = 404
			}
			if w.Code != status {
				t.Errorf("%s with %q: %d, not %d", page, header, w.Code, status)
			}
			var got refused
			if err := json.Unmarshal(w.Body.Bytes(), &got); status == 401 && (err != nil || got.Error.Code != "invalid_api_key") {
				t.Errorf("%s with %q: %s", page, header, w.Body)
			}
		}
	}
}

// FuzzDecode reads bodies that strangers send.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		`{"model": "tiny", "prompt": ["a", "b"], "stop": "x", "n": 2, "logprobs": 3}`, `{"prompt": [[1, 2], [3]], "stream": true, "stream_options": {}}`,
		`{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}], "top_logprobs": 2, "seed": -1}`, `{"input": [1], "encoding_format": "base64"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, into := range []interface{ check(int) error }{&completion{}, &chat{}} {
			err := decode(body, into)
			if err == nil {
				err = into.check(8)
			}
			if err != nil {
				if p := problemOf(err); p.status != http.StatusBadRequest || p.message == "" {
					t.Errorf("%q: %d %q", body, p.status, p.message)
				}
			}
		}
		_ = decode(body, &embeddings{})
	})
}
