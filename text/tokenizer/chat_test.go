package tokenizer

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/internal/jinja"
)

// TestChatTemplates wants what transformers 5 makes of chats by templates in the manner of the common families, recorded in chat.json. Where
// it refuses a chat, so must we, in the template's words where it raised them.
func TestChatTemplates(t *testing.T) {
	data, err := os.ReadFile("testdata/chat.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Templates map[string]string
		Cases     []struct {
			Template string
			Messages []map[string]any
			Tools    json.RawMessage
			Prompt   bool  `json:"add_generation_prompt"`
			Thinking *bool `json:"enable_thinking"`
			Text     *string
			Error    string
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	tok, _ := loadGolden(t, "bpe")
	for i, c := range recorded.Cases {
		var messages []Message
		for _, m := range c.Messages {
			role, content := m["role"].(string), m["content"].(string)
			delete(m, "role")
			delete(m, "content")
			messages = append(messages, Message{role, content, m})
		}
		opts := []ChatOption{
			ChatTemplate(recorded.Templates[c.Template]), AddGenerationPrompt(c.Prompt), Variable("bos_token", "<s>"), Variable("eos_token", "</s>"),
		}
		if c.Tools != nil {
			opts = append(opts, Variable("tools", c.Tools))
		} else {
			opts = append(opts, Variable("tools", nil))
		}
		if c.Thinking != nil {
			opts = append(opts, Variable("enable_thinking", *c.Thinking))
		}
		got, err := tok.ApplyChatTemplate(messages, opts...)
		if c.Text == nil {
			var e *jinja.Error
			if !errors.As(err, &e) || e.Raised && e.Message != c.Error {
				t.Errorf("%d: %s: got %q, %v, want the error %q", i, c.Template, got, err, c.Error)
			}
			continue
		}
		if err != nil || got != *c.Text {
			t.Errorf("%d: %s:\n got %q, %v\nwant %q", i, c.Template, got, err, *c.Text)
		}
	}
}

func TestChatTemplateOfFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bpe, err := os.ReadFile("testdata/bpe/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	write("tokenizer.json", string(bpe))
	hello := []Message{{Role: "user", Content: "hello"}}
	apply := func(opts ...ChatOption) string {
		t.Helper()
		tok, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		text, err := tok.ApplyChatTemplate(hello, opts...)
		if err != nil {
			return err.Error()
		}
		return text
	}
	if got := apply(); !strings.Contains(got, `"default" is not among the tokenizer's files`) {
		t.Error(got)
	}
	write("tokenizer_config.json", `{"bos_token": {"content": "<b>"}, "chat_template": "{{ bos_token }}{{ messages[0].content }}"}`)
	if got := apply(); got != "<b>hello" {
		t.Error(got)
	}
	write("tokenizer_config.json", `{"bos_token": "<c>", "chat_template": [{"name": "default", "template": "d"}, {"name": "tool_use", "template": "{{ bos_token }}"}]}`)
	if got := apply(TemplateName("tool_use")); got != "<c>" {
		t.Error(got)
	}
	write("chat_template.jinja", "{{ messages[0].role }}\n")
	if got := apply(); got != "user" {
		t.Error(got)
	}
	if got := apply(ChatTemplate("{% include 'x' %}")); !strings.Contains(got, "unknown tag include") {
		t.Error(got)
	}
}
