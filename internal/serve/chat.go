package serve

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"cresset/text/tokenizer"
)

// chat is a request for the next message of a chat.
type chat struct {
	parameters
	Messages            []said         `json:"messages"`
	MaxCompletionTokens *int           `json:"max_completion_tokens"`
	LogProbs            bool           `json:"logprobs"`
	TopLogProbs         *int           `json:"top_logprobs"`
	TemplateVariables   map[string]any `json:"chat_template_kwargs"` // which the interface does not have

	ResponseFormat *responseFormat `json:"response_format"`
	Tools          json.RawMessage `json:"tools"`
	ToolChoice     json.RawMessage `json:"tool_choice"`
	Functions      json.RawMessage `json:"functions"`
	FunctionCall   json.RawMessage `json:"function_call"`
	Modalities     texts           `json:"modalities"`
}

type responseFormat struct {
	Type string `json:"type"`
}

// said is a message of a chat.
type said struct {
	Role    string          `json:"role"`
	Content content         `json:"content"`
	Name    json.RawMessage `json:"name"` // these have no effect
	Refusal json.RawMessage `json:"refusal"`

	ToolCalls    json.RawMessage `json:"tool_calls"`
	ToolCallID   json.RawMessage `json:"tool_call_id"`
	FunctionCall json.RawMessage `json:"function_call"`
	Audio        json.RawMessage `json:"audio"`
	Annotations  json.RawMessage `json:"annotations"`
}

// content is a text, which may come in parts.
type content string

// UnmarshalJSON reads a string, null, or an array of parts that are texts.
func (c *content) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil { // null is an empty text
		*c = content(one)
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(data, &parts) != nil {
		return bad("messages", "Invalid 'content': expected a string or an array of parts, but got %s", shortened(data))
	}
	*c = ""
	for _, p := range parts {
		if p.Type != "text" {
			return bad("messages", "Invalid 'content': parts of type '%s' are not supported by this server, which reads text", p.Type)
		}
		*c += content(p.Text)
	}
	return nil
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) error {
	var c chat
	if err := s.read(w, r, &c); err != nil {
		return err
	}
	if err := s.writes(c.Model); err != nil {
		return err
	}
	if err := c.check(s.Choices); err != nil {
		return err
	}
	j := &job{parameters: c.parameters, form: chatForm, logProbs: c.LogProbs}
	for _, given := range []*int{c.MaxTokens, c.MaxCompletionTokens} {
		if given != nil {
			j.tokens = *given
		}
	}
	if c.TopLogProbs != nil {
		j.likeliest = *c.TopLogProbs
	}
	text, err := s.written(&c)
	if err != nil {
		return err
	}
	if j.prompts, err = s.tokensOf(prompts{texts: []string{text}}, tokenizer.AddSpecialTokens(false)); err != nil {
		return err
	}
	return s.run(w, r, j)
}

// roles are who may speak in a chat.
var roles = []string{"system", "developer", "user", "assistant", "tool"}

// check refuses what makes no sense.
func (c *chat) check(choices int) error {
	err := errors.Join(
		c.parameters.check(choices),
		between("max_completion_tokens", c.MaxCompletionTokens, 1, 1<<30),
		between("top_logprobs", c.TopLogProbs, 0, mostLogProbs),
		unsupported("tools", c.Tools, "[]"),
		unsupported("tool_choice", c.ToolChoice, `"none"`, `"auto"`),
		unsupported("functions", c.Functions, "[]"),
		unsupported("function_call", c.FunctionCall, `"none"`, `"auto"`),
	)
	switch {
	case err != nil:
		return err
	case len(c.Messages) == 0:
		return bad("messages", "Invalid 'messages': empty array. Expected an array with minimum length 1")
	case c.TopLogProbs != nil && !c.LogProbs:
		return bad("top_logprobs", "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled")
	case c.ResponseFormat != nil && c.ResponseFormat.Type != "text":
		return bad("response_format", "A 'response_format' of type '%s' is not supported by this server; 'text' is", c.ResponseFormat.Type)
	case slices.ContainsFunc(c.Modalities, func(m string) bool { return m != "text" }):
		return bad("modalities", "'modalities' other than 'text' are not supported by this server")
	}
	for i, m := range c.Messages {
		if err := errors.Join(unsupported("tool_calls", m.ToolCalls, "[]"), unsupported("function_call", m.FunctionCall), unsupported("audio", m.Audio)); err != nil {
			return err
		}
		if !slices.Contains(roles, m.Role) {
			return bad("messages", "Invalid value: '%s' for the role of message %d. Supported values are: 'system', 'developer', 'user', 'assistant' and 'tool'", m.Role, i)
		}
	}
	return nil
}

// written returns a chat as the model was trained on it, up to where the answer begins.
func (s *Server) written(c *chat) (string, error) {
	messages := make([]tokenizer.Message, len(c.Messages))
	for i, m := range c.Messages {
		if m.Role == "developer" { // a newer name
			m.Role = "system"
		}
		messages[i] = tokenizer.Message{Role: m.Role, Content: string(m.Content)}
	}
	opts := []tokenizer.ChatOption{tokenizer.AddGenerationPrompt(true)}
	for name, v := range c.TemplateVariables {
		opts = append(opts, tokenizer.Variable(name, v))
	}
	text, err := s.Words.ApplyChatTemplate(messages, opts...)
	if err != nil {
		return "", bad("messages", "The model's chat template does not take the messages: %v", err)
	}
	return text, nil
}
