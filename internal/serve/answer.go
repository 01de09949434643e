package serve

import (
	"crypto/rand"
	"iter"
	"net/http"
	"strings"
	"time"

	"cresset/text/serving"
)

// form is what answers of completions and of chats have of their own.
type form struct {
	prefix, object, chunk string
	chat                  bool
}

var (
	completionForm = form{"cmpl-", "text_completion", "text_completion", false}
	chatForm       = form{"chatcmpl-", "chat.completion", "chat.completion.chunk", true}
)

func newID(f form) string { return f.prefix + strings.ToLower(rand.Text()) }

// answer is what a job gets.
type answer struct {
	server  *Server
	job     *job
	id      string
	choices []*choice
	silence time.Duration // the longest wait for a client to take what is sent
	asked   time.Time
	told    bool // a token has come
}

// answerJSON is an answer, or a part of one that is streamed.
type answerJSON struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []choiceJSON `json:"choices"`
	Usage   *usage       `json:"usage,omitempty"`
}

type choiceJSON struct {
	Index    int      `json:"index"`
	Text     *string  `json:"text,omitempty"`    // of a completion
	Message  *message `json:"message,omitempty"` // of a chat
	Delta    *delta   `json:"delta,omitempty"`   // of one that is streamed
	LogProbs any      `json:"logprobs"`
	Reason   *string  `json:"finish_reason"`
}

type message struct {
	Role    string  `json:"role"`
	Content string  `json:"content"`
	Refusal *string `json:"refusal"`
}

type delta struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// usage counts tokens: those of a prompt once, however many texts follow it.
func (a *answer) usage(written int) *usage {
	u := &usage{Completion: written}
	for _, p := range a.job.prompts {
		u.Prompt += len(p)
	}
	u.Total = u.Prompt + u.Completion
	return u
}

// begin returns an answer without texts.
func (a *answer) begin(object string) *answerJSON {
	return &answerJSON{ID: a.id, Object: object, Created: time.Now().Unix(), Model: a.server.Name, Choices: []choiceJSON{}}
}

// count keeps the figures of what is written.
func (a *answer) count(e event) {
	if e.tokens > 0 && !a.told {
		a.told = true
		a.server.figures.first.UpdateDuration(a.asked)
	}
}

// whole answers when all texts have ended.
func (a *answer) whole(w http.ResponseWriter, events iter.Seq[event]) error {
	written := 0
	texts, scored, reasons := make([]strings.Builder, len(a.choices)), make([][]serving.Token, len(a.choices)), make([]string, len(a.choices))
	for e := range events {
		if e.err != nil {
			return e.err
		}
		i := e.choice.index
		texts[i].WriteString(e.text)
		scored[i] = append(scored[i], e.scored...)
		reasons[i] = e.reason
		written += e.tokens
		a.count(e)
	}
	out := a.begin(a.job.form.object)
	for i := range a.choices {
		text := texts[i].String()
		c := choiceJSON{Index: i, Reason: &reasons[i]}
		if a.job.form.chat {
			c.Message = &message{Role: "assistant", Content: text}
		} else {
			c.Text = &text
		}
		if a.job.logProbs {
			c.LogProbs = a.scores(scored[i], new(int))
		}
		out.Choices = append(out.Choices, c)
	}
	out.Usage = a.usage(written)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(a.silence))
	return reply(w, http.StatusOK, out)
}
