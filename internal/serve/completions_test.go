package serve

import (
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"cresset/tensor"
	"cresset/text/generation"
	"cresset/text/serving"
)

// TestCompletions compares what comes at once and what is streamed with what text/generation writes of each prompt alone.
func TestCompletions(t *testing.T) {
	m := decoder(t)
	s := newServer(t, m, serving.Options{StepTokens: 5})
	url := listen(t, s) + "/v1/completions"
	drawn := func(seed int64) generation.Options {
		return generation.Options{MaxTokens: 20, End: s.Usual.End, Sampler: generation.Sampler{Temperature: 1.5, TopK: 50, TopP: 0.9, MinP: 0.01,
			RepetitionPenalty: 1.2, Generator: tensor.NewGenerator(seed)}}
	}
	greedy := generation.Options{MaxTokens: 16, End: s.Usual.End}
	first := alone(t, m, s.Words, "the king", greedy)
	stop := string([]rune(first)[5:7])
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a prompt":        {`"prompt": "the king"`, []string{first}},
		"several prompts": {`"prompt": ["the king", "größer 日本"], "max_tokens": 16`, []string{first, alone(t, m, s.Words, "größer 日本", greedy)}},
		"several choices": {`"prompt": ["a", "the"], "n": 2, "seed": 5, "max_tokens": 20, "temperature": 1.5, "top_k": 50, "top_p": 0.9, "min_p": 0.01, "repetition_penalty": 1.2`,
			[]string{alone(t, m, s.Words, "a", drawn(5)), alone(t, m, s.Words, "a", drawn(6)), alone(t, m, s.Words, "the", drawn(5)), alone(t, m, s.Words, "the", drawn(6))}},
		"a stop string": {`"prompt": "the king", "stop": ` + mustJSON(stop), []string{alone(t, m, s.Words, "the king", greedy, stop)}},
	} {
		var whole answerJSON
		if status := ask(t, url, `{"model": "tiny", `+c.body+`}`, &whole); status != http.StatusOK {
			t.Errorf("%s: status %d", name, status)
			continue
		}
		reason := "length"
		if strings.Contains(name, "stop") {
			reason = "stop"
		}
		for i, want := range c.want {
			if got := whole.Choices[i]; *got.Text != want || *got.Reason != reason || got.Index != i {
				t.Errorf("%s: choice %d is %q, %s, not %q", name, i, *got.Text, *got.Reason, want)
			}
		}
		_, text := askText(t, url, `{"model": "tiny", "stream": true, "stream_options": {"include_usage": true}, `+c.body+`}`)
		streamed, done := parts(t, text)
		got, ended := make([]string, len(c.want)), make([]string, len(c.want))
		for _, p := range streamed[:len(streamed)-1] {
			got[p.Choices[0].Index] += *p.Choices[0].Text
			if r := p.Choices[0].Reason; r != nil {
				ended[p.Choices[0].Index] += *r
			}
		}
		if last := streamed[len(streamed)-1]; !slices.Equal(got, c.want) || !done || len(last.Choices) != 0 || *last.Usage != *whole.Usage {
			t.Errorf("%s: streamed %q, %v, %+v, not %q, %+v", name, got, done, last.Usage, c.want, whole.Usage)
		}
		if want := slices.Repeat([]string{reason}, len(c.want)); !slices.Equal(ended, want) {
			t.Errorf("%s: streamed ends %q", name, ended)
		}
	}
}

// TestPromptsOfTokens gives prompts as numbers.
func TestPromptsOfTokens(t *testing.T) {
	m := decoder(t)
	s := newServer(t, m, serving.Options{})
	url := listen(t, s) + "/v1/completions"
	e, err := s.Words.Encode("the king")
	if err != nil {
		t.Fatal(err)
	}
	want := alone(t, m, s.Words, "the king", generation.Options{MaxTokens: 16, End: s.Usual.End})
	for _, prompt := range []any{e.IDs, [][]int{e.IDs}, []string{"the king"}} {
		var got answerJSON
		ask(t, url, mustJSON(map[string]any{"model": "tiny", "prompt": prompt}), &got)
		if len(got.Choices) != 1 || *got.Choices[0].Text != want || got.Usage.Prompt != len(e.IDs) {
			t.Errorf("%v goes on with %+v, not %q", prompt, got, want)
		}
	}
}

// TestScores checks that tokens with their probabilities make up the text, at once and streamed.
func TestScores(t *testing.T) {
	s := newServer(t, decoder(t), serving.Options{})
	url := listen(t, s) + "/v1/completions"
	type scored struct {
		Choices []struct {
			Text     string
			LogProbs *completionScores
		}
	}
	var whole scored
	const body = `{"model": "tiny", "prompt": "the king", "logprobs": 3, "temperature": 0`
	ask(t, url, body+`}`, &whole)
	c := whole.Choices[0]
	if got := strings.Join(c.LogProbs.Tokens, ""); got != c.Text {
		t.Errorf("tokens make %q of the text %q", got, c.Text)
	}
	for i, v := range c.LogProbs.Scores {
		best := math.Inf(-1)
		for _, other := range c.LogProbs.Top[i] {
			best = max(best, other)
		}
		if !(v <= 0) || v != best || !strings.HasPrefix(string([]rune(c.Text)[c.LogProbs.Offsets[i]:]), c.LogProbs.Tokens[i]) {
			t.Errorf("token %d: %v, others %v, at %d", i, v, c.LogProbs.Top[i], c.LogProbs.Offsets[i])
		}
	}
	_, text := askText(t, url, body+`, "stream": true}`)
	streamed, _ := parts(t, text)
	n := 0
	for _, p := range streamed {
		if l, ok := p.Choices[0].LogProbs.(map[string]any); ok {
			if at := l["text_offset"].([]any)[0].(float64); int(at) != c.LogProbs.Offsets[n] {
				t.Errorf("streamed token %d stands at %v, not %d", n, at, c.LogProbs.Offsets[n])
			}
			n++
		}
	}
	if n != len(c.LogProbs.Tokens) {
		t.Errorf("%d tokens are streamed, not %d", n, len(c.LogProbs.Tokens))
	}
}

// TestChats compares chats with what text/generation writes behind the template's text.
func TestChats(t *testing.T) {
	m := decoder(t)
	s := newServer(t, m, serving.Options{})
	url := listen(t, s) + "/v1/chat/completions"
	o := generation.Options{MaxTokens: 12, End: s.Usual.End}
	const messages = `"messages": [{"role": "developer", "content": "be brief"}, {"role": "user", "content": [{"type": "text", "text": "the "}, {"type": "text", "text": "king"}]}]`
	for name, c := range map[string]struct{ body, prompt string }{
		"plain":    {``, "<system>be brief\n<user>the king\n<assistant>"},
		"variable": {`, "chat_template_kwargs": {"tone": "hm"}`, "<system>be brief\n<user>the king\n<assistant>hm"},
	} {
		want := alone(t, m, s.Words, c.prompt, o)
		body := `{"model": "tiny", "max_completion_tokens": 12, "logprobs": true, "top_logprobs": 2, ` + messages + c.body
		var whole answerJSON
		ask(t, url, body+`}`, &whole)
		if got := whole.Choices[0].Message; got.Role != "assistant" || got.Content != want || whole.Object != "chat.completion" {
			t.Errorf("%s: %+v, not %q", name, got, want)
		}
		_, text := askText(t, url, body+`, "stream": true}`)
		streamed, done := parts(t, text)
		if d := streamed[0].Choices[0].Delta; d.Role != "assistant" || *d.Content != "" {
			t.Errorf("%s: begins with %+v", name, d)
		}
		got, scores := "", 0
		for _, p := range streamed {
			if text := p.Choices[0].Delta.Content; text != nil {
				got += *text
			}
			if p.Choices[0].LogProbs != nil {
				scores++
			}
		}
		if got != want || !done || scores != 12 {
			t.Errorf("%s: streamed %q with %d scores, not %q", name, got, scores, want)
		}
	}
}
