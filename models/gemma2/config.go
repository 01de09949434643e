package gemma2

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	"cresset/internal/hub"
)

// Config are the sizes and choices of a model, with the names of transformers' config.json. What is 0 is as in Gemma 2 9B, but for the sizes, which have to be given.
type Config struct {
	ModelType        string                     `json:"model_type"`
	Architectures    []string                   `json:"architectures"`
	Vocabulary       int                        `json:"vocab_size" hub:"size"`
	Width            int                        `json:"hidden_size" hub:"size"`
	Hidden           int                        `json:"intermediate_size" hub:"size"` // width within an MLP
	Layers           int                        `json:"num_hidden_layers" hub:"count"`
	Heads            int                        `json:"num_attention_heads" hub:"count"`
	KeyValueHeads    int                        `json:"num_key_value_heads" hub:"count"` // each serves Heads/KeyValueHeads heads of queries
	HeadSize         int                        `json:"head_dim" hub:"size"`
	Positions        int                        `json:"max_position_embeddings" hub:"size"` // the longest sequence of the training
	Activation       string                     `json:"hidden_activation"`
	Eps              float64                    `json:"rms_norm_eps"`
	RoPE             RoPE                       `json:"rope_parameters"`
	QueryScalar      int                        `json:"query_pre_attn_scalar"`   // scores are divided by its root
	ScoreCap         float64                    `json:"attn_logit_softcapping"`  // of the scores of keys; 0 for none
	OutputCap        float64                    `json:"final_logit_softcapping"` // of the scores of tokens; 0 for none
	Window           int                        `json:"sliding_window"`          // how many tokens each one sees in layers of that type
	LayerTypes       []string                   `json:"layer_types"`             // "full_attention" or "sliding_attention" of each layer; every second, from the first on, has a window unless given
	AttentionBias    bool                       `json:"attention_bias"`
	Tied             *bool                      `json:"tie_word_embeddings,omitzero"`         // the output layer is the table of tokens; nil: true
	Bidirectional    bool                       `json:"use_bidirectional_attention,omitzero"` // refused: each token sees those before it
	InitializerRange float64                    `json:"initializer_range"`                    // standard deviation of new weights
	Rest             map[string]json.RawMessage `json:"-"`                                    // what else a config.json says; models.Save writes it again
}

// RoPE are the settings of rotary position embeddings.
type RoPE = hub.RoPE

// ReadConfig returns the settings of a config.json.
func ReadConfig(text []byte) (Config, error) {
	from, err := hub.Parse(text)
	if err != nil {
		return Config{}, err
	}
	c := Config{KeyValueHeads: 4, HeadSize: 256, Positions: 8192, QueryScalar: 256, ScoreCap: 50, OutputCap: 30, Window: 4096,
		RoPE: hub.RoPE{Type: "default", Theta: 10000}}
	for key, cap := range map[string]*float64{"attn_logit_softcapping": &c.ScoreCap, "final_logit_softcapping": &c.OutputCap} {
		if from.Has(key) {
			*cap = 0 // which is what null means
		}
	}
	return c, from.Decode(&c)
}

// filled returns the settings with those that follow from others, where they are not given.
func (c Config) filled() Config {
	c.ModelType, c.Architectures = "gemma2", []string{"Gemma2ForCausalLM"}
	c.KeyValueHeads = cmp.Or(c.KeyValueHeads, c.Heads)
	c.HeadSize = cmp.Or(c.HeadSize, c.Width/max(c.Heads, 1))
	c.QueryScalar = cmp.Or(c.QueryScalar, c.HeadSize)
	c.Activation = cmp.Or(c.Activation, "gelu_pytorch_tanh")
	c.Eps = cmp.Or(c.Eps, 1e-6)
	c.RoPE.Type, c.RoPE.Theta = cmp.Or(c.RoPE.Type, "default"), cmp.Or(c.RoPE.Theta, 10000)
	c.InitializerRange = cmp.Or(c.InitializerRange, 0.02)
	if c.LayerTypes == nil {
		for i := range min(c.Layers, 1<<14) {
			c.LayerTypes = append(c.LayerTypes, []string{hub.Sliding, hub.Full}[i%2])
		}
	}
	return c
}

// check refuses sizes that do not fit each other, and what is not implemented.
func (c Config) check() error {
	switch err := hub.CheckSizes(c); {
	case err != nil:
		return err
	case c.Bidirectional:
		return hub.Unsupported("use_bidirectional_attention", strconv.FormatBool(true), "false")
	case c.Heads%c.KeyValueHeads != 0:
		return &hub.Error{Key: "num_key_value_heads", Err: fmt.Sprintf("%d do not divide the %d heads of queries", c.KeyValueHeads, c.Heads)}
	default:
		return hub.CheckLayerTypes(c.LayerTypes, c.Layers)
	}
}

// window returns how many tokens each one sees in a layer; 0 for all.
func (c Config) window(layer int) int {
	if c.LayerTypes[layer] == hub.Full {
		return 0
	}
	return c.Window
}
