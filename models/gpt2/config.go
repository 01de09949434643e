package gpt2

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"cresset/internal/hub"
)

// Config are the sizes and choices of a model, with the names of transformers' config.json. What is 0 is as in GPT-2, but for the sizes, which have to be given.
type Config struct {
	ModelType        string                     `json:"model_type"`
	Architectures    []string                   `json:"architectures"`
	Vocabulary       int                        `json:"vocab_size" hub:"size"`
	Positions        int                        `json:"n_positions" hub:"size"` // the longest sequence
	Width            int                        `json:"n_embd" hub:"size"`
	Layers           int                        `json:"n_layer" hub:"count"`
	Heads            int                        `json:"n_head" hub:"count"`
	Hidden           int                        `json:"n_inner" hub:"size"` // width within an MLP; 4·Width unless given
	Activation       string                     `json:"activation_function"`
	Eps              float64                    `json:"layer_norm_epsilon"`
	EmbedDropout     float64                    `json:"embd_pdrop"`
	AttentionDropout float64                    `json:"attn_pdrop"`
	ResidualDropout  float64                    `json:"resid_pdrop"`
	InitializerRange float64                    `json:"initializer_range"`               // standard deviation of new weights
	Scaled           *bool                      `json:"scale_attn_weights,omitzero"`     // divides scores by √size of a head; nil: true
	ScaledByLayer    bool                       `json:"scale_attn_by_inverse_layer_idx"` // divides those of layer i by i + 1
	Tied             *bool                      `json:"tie_word_embeddings,omitzero"`    // the output layer is the table of tokens; nil: true
	CrossAttention   bool                       `json:"add_cross_attention,omitzero"`    // refused: there is none
	Rest             map[string]json.RawMessage `json:"-"`                               // what else a config.json says; models.Save writes it again
}

// ReadConfig returns the settings of a config.json.
func ReadConfig(text []byte) (Config, error) {
	from, err := hub.Parse(text)
	if err != nil {
		return Config{}, err
	}
	c := Config{Positions: 1024, EmbedDropout: 0.1, AttentionDropout: 0.1, ResidualDropout: 0.1}
	return c, from.Decode(&c)
}

// filled returns the settings with GPT-2's in the place of those that are 0.
func (c Config) filled() Config {
	c.ModelType, c.Architectures = "gpt2", []string{"GPT2LMHeadModel"}
	c.Hidden = cmp.Or(c.Hidden, 4*c.Width)
	c.Activation = cmp.Or(c.Activation, "gelu_new")
	c.Eps = cmp.Or(c.Eps, 1e-5)
	c.InitializerRange = cmp.Or(c.InitializerRange, 0.02)
	return c
}

// check refuses sizes that do not fit each other, and what is not implemented.
func (c Config) check() error {
	if err := hub.CheckSizes(c); err != nil {
		return err
	}
	if c.CrossAttention {
		return hub.Unsupported("add_cross_attention", true, "false")
	}
	if c.Width%c.Heads != 0 {
		return &hub.Error{Key: "n_head", Err: fmt.Sprintf("%d heads do not divide a width of %d", c.Heads, c.Width)}
	}
	return nil
}

// scale returns what the scores of a layer are multiplied by.
func (c Config) scale(layer int) float64 {
	scale := 1.0
	if c.Scaled == nil || *c.Scaled {
		scale = 1 / math.Sqrt(float64(c.Width/c.Heads))
	}
	if c.ScaledByLayer {
		scale /= float64(layer + 1)
	}
	return scale
}
