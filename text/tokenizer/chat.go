package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cresset/internal/jinja"
)

// chatSettings is what ApplyChatTemplate needs.
type chatSettings struct{ config *config }

// Message is what one side of a chat says.
type Message struct {
	Role    string // system, user, assistant, tool
	Content string
	// Extra are further entries that a template may read, such as tool_calls: what encoding/json can write.
	Extra map[string]any
}

// ChatOption is an option of ApplyChatTemplate.
type ChatOption interface{ chat(*chatCall) }

type chatCall struct {
	name     string
	template string
	vars     map[string]any
}

type chatOption func(*chatCall)

func (f chatOption) chat(c *chatCall) { f(c) }

// AddGenerationPrompt says whether the text ends with what begins the answer of the model.
func AddGenerationPrompt(on bool) ChatOption { return Variable("add_generation_prompt", on) }

// Variable gives a template a variable, such as tools or enable_thinking: what encoding/json can write. Templates see the keys of a
// struct and of a json.RawMessage in their order, those of a map in the order of their names.
func Variable(name string, value any) ChatOption {
	return chatOption(func(c *chatCall) { c.vars[name] = value })
}

// ChatTemplate is a template in Jinja instead of the tokenizer's own.
func ChatTemplate(source string) ChatOption {
	return chatOption(func(c *chatCall) { c.template = source })
}

// TemplateName chooses among several templates of a tokenizer; "default" unless told.
func TemplateName(name string) ChatOption { return chatOption(func(c *chatCall) { c.name = name }) }

// ApplyChatTemplate writes a chat as the model was trained on it, by the Jinja template of tokenizer_config.json or chat_template.jinja.
// The text holds special tokens already: it is encoded with AddSpecialTokens(false).
//
// An error is an [*Error] where there is no template, or one that asks for what this package does not have, and where the template itself
// refuses the chat, as some do for roles that do not alternate.
func (t *Tokenizer) ApplyChatTemplate(messages []Message, opts ...ChatOption) (string, error) {
	call := &chatCall{name: "default", vars: map[string]any{}}
	if c := t.chat.config; c != nil {
		for _, name := range []string{"bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token"} {
			if token, ok := c.token(name); ok {
				call.vars[name] = token
			}
		}
	}
	call.vars["add_generation_prompt"] = false
	for _, o := range opts {
		o.chat(call)
	}
	list := make([]any, len(messages))
	for i, m := range messages {
		list[i] = m.entries()
	}
	source, err := t.chat.source(call)
	if err != nil {
		return "", err
	}
	template, err := jinja.Parse(source)
	if err != nil {
		return "", &Error{Part: "chat_template", Problem: err.Error(), cause: err}
	}
	vars := map[string]any{}
	for name, v := range call.vars {
		if vars[name], err = plain(v); err != nil {
			return "", &Error{Part: "chat_template", Name: name, Problem: err.Error(), cause: err}
		}
	}
	vars["messages"] = list
	text, err := template.Execute(vars)
	if err != nil {
		return "", &Error{Part: "chat_template", Problem: err.Error(), cause: err}
	}
	return text, nil
}

// entries returns the dictionary of a message.
func (m Message) entries() *jinja.Dict {
	d := jinja.NewDict()
	d.Set("role", m.Role)
	d.Set("content", m.Content)
	names := make([]string, 0, len(m.Extra))
	for name := range m.Extra {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		v, err := plain(m.Extra[name])
		if err != nil {
			v = fmt.Sprint(m.Extra[name])
		}
		d.Set(name, v)
	}
	return d
}

// plain returns v as a template takes it: through JSON, so that structs and maps of any type will do.
func plain(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jinja.FromJSON(data)
}

// source returns the template that a call wants.
func (s *chatSettings) source(call *chatCall) (string, error) {
	if call.template != "" {
		return call.template, nil
	}
	missing := &Error{Part: "chat_template", Name: call.name, Problem: "is not among the tokenizer's files"}
	if s.config == nil {
		return "", missing
	}
	if s.config.template != "" && call.name == "default" {
		return s.config.template, nil
	}
	var one string
	if json.Unmarshal(orNull(s.config.ChatTemplate), &one) == nil && one != "" && call.name == "default" {
		return one, nil
	}
	var several []struct{ Name, Template string }
	if json.Unmarshal(orNull(s.config.ChatTemplate), &several) == nil {
		for _, t := range several {
			if strings.EqualFold(t.Name, call.name) {
				return t.Template, nil
			}
		}
	}
	return "", missing
}
