package serve

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"cresset/text/generation"
)

// parameters are those that completions and chats share.
type parameters struct {
	Model         string         `json:"model"`
	N             *int           `json:"n"`
	MaxTokens     *int           `json:"max_tokens"`
	Temperature   *float64       `json:"temperature"`
	TopP          *float64       `json:"top_p"`
	Stop          texts          `json:"stop"`
	Seed          *int64         `json:"seed"`
	Stream        bool           `json:"stream"`
	StreamOptions *streamOptions `json:"stream_options"`

	// What the interface does not have.
	TopK              *int     `json:"top_k"`
	MinP              *float64 `json:"min_p"`
	RepetitionPenalty *float64 `json:"repetition_penalty"`

	PresencePenalty  json.RawMessage `json:"presence_penalty"`
	FrequencyPenalty json.RawMessage `json:"frequency_penalty"`
	LogitBias        json.RawMessage `json:"logit_bias"`

	// What has no effect on a text.
	User            json.RawMessage `json:"user"`
	Metadata        json.RawMessage `json:"metadata"`
	Store           json.RawMessage `json:"store"`
	ServiceTier     json.RawMessage `json:"service_tier"`
	SafetyID        json.RawMessage `json:"safety_identifier"`
	PromptCacheKey  json.RawMessage `json:"prompt_cache_key"`
	ParallelToolUse json.RawMessage `json:"parallel_tool_calls"`
}

type streamOptions struct {
	IncludeUsage       bool `json:"include_usage"`
	IncludeObfuscation bool `json:"include_obfuscation"` // has no effect
}

// maxStops is how many stop strings a request may have.
const maxStops = 4

// check refuses what makes no sense.
func (p *parameters) check(choices int) error {
	positive := math.MaxInt32
	err := errors.Join(
		between("n", p.N, 1, choices),
		between("max_tokens", p.MaxTokens, 1, positive),
		between("temperature", p.Temperature, 0, 2),
		between("top_p", p.TopP, 0, 1),
		between("top_k", p.TopK, -1, positive),
		between("min_p", p.MinP, 0, 1),
		between("repetition_penalty", p.RepetitionPenalty, 0.01, 100),
		unsupported("presence_penalty", p.PresencePenalty, "0", "0.0"),
		unsupported("frequency_penalty", p.FrequencyPenalty, "0", "0.0"),
		unsupported("logit_bias", p.LogitBias, "{}"),
	)
	switch {
	case err != nil:
		return err
	case len(p.Stop) > maxStops:
		return bad("stop", "Invalid 'stop': array too long. Expected an array with maximum length %d, but got an array with length %d instead", maxStops, len(p.Stop))
	case slices.Contains(p.Stop, ""):
		return bad("stop", "Invalid 'stop': empty string. Expected a string with minimum length 1")
	case p.StreamOptions != nil && !p.Stream:
		return bad("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled")
	}
	return nil
}

// options returns how a request's tokens are chosen, where it says nothing as usual.
func (p *parameters) options(usual generation.Options) generation.Options {
	o := usual
	for to, given := range map[*float64]*float64{&o.Temperature: p.Temperature, &o.TopP: p.TopP, &o.MinP: p.MinP, &o.RepetitionPenalty: p.RepetitionPenalty} {
		if given != nil {
			*to = *given
		}
	}
	if p.TopK != nil {
		o.TopK = max(0, *p.TopK)
	}
	o.Rolling = false
	return o
}

// choices returns how many texts each prompt gets.
func (p *parameters) choices() int {
	if p.N == nil {
		return 1
	}
	return *p.N
}

// drawn returns the seed of a request, one that nobody knows before where it names none.
func (p *parameters) drawn() int64 {
	if p.Seed != nil {
		return *p.Seed
	}
	return rand.Int64()
}
