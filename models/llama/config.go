package llama

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"cresset/internal/hub"
)

// Config are the sizes and choices of a model, with the names of transformers' config.json. What is 0 is as in Llama, but for the sizes of layers, which have to
// be given.
type Config struct {
	ModelType        string                     `json:"model_type"` // "llama", "mistral", "qwen2" or "qwen3"
	Vocabulary       int                        `json:"vocab_size" hub:"size"`
	Width            int                        `json:"hidden_size" hub:"size"`
	Hidden           int                        `json:"intermediate_size" hub:"size"` // width of the layers between
	Layers           int                        `json:"num_hidden_layers" hub:"count"`
	Heads            int                        `json:"num_attention_heads" hub:"count"`
	KeyValueHeads    int                        `json:"num_key_value_heads" hub:"count"` // each serves Heads/KeyValueHeads heads of queries
	HeadSize         int                        `json:"head_dim" hub:"size"`
	Positions        int                        `json:"max_position_embeddings" hub:"size"` // the longest sequence of the training
	Activation       string                     `json:"hidden_act"`
	Eps              float64                    `json:"rms_norm_eps"`
	RoPE             RoPE                       `json:"rope_parameters"`
	Tied             bool                       `json:"tie_word_embeddings"` // the output layer is the table of tokens
	AttentionBias    bool                       `json:"attention_bias"`
	MLPBias          bool                       `json:"mlp_bias"`
	Window           int                        `json:"sliding_window"` // how many tokens each one sees; 0: all
	UseWindow        *bool                      `json:"use_sliding_window,omitzero"`
	MaxWindowLayers  int                        `json:"max_window_layers,omitzero"` // of Qwen: layers from here on have the window
	LayerTypes       []string                   `json:"layer_types,omitzero"`       // "full_attention" or "sliding_attention" of each layer
	Architectures    []string                   `json:"architectures"`
	InitializerRange float64                    `json:"initializer_range"` // standard deviation of new weights
	Rest             map[string]json.RawMessage `json:"-"`                 // what else a config.json says; models.Save writes it again
}

// classes are transformers' names of the models with an output layer.
var classes = map[string]string{"llama": "LlamaForCausalLM", "mistral": "MistralForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}

// RoPE are the settings of rotary position embeddings.
type RoPE = hub.RoPE

// ReadConfig returns the settings of a config.json.
func ReadConfig(text []byte) (Config, error) {
	from, err := hub.Parse(text)
	if err != nil {
		return Config{}, err
	}
	c := Config{ModelType: from.Text("model_type")}
	if classes[c.ModelType] == "" {
		return c, hub.Unsupported("model_type", strconv.Quote(c.ModelType), "llama", "mistral", "qwen2", "qwen3")
	}
	if c.ModelType == "mistral" && !from.Has("sliding_window") {
		c.Window = 4096
	}
	if err := from.Decode(&c); err != nil {
		return c, err
	}
	return c, nil
}

// filled returns the settings with those that follow from others, where they are not given.
func (c Config) filled() Config {
	c.ModelType = cmp.Or(c.ModelType, "llama")
	c.KeyValueHeads = cmp.Or(c.KeyValueHeads, c.Heads)
	c.HeadSize = cmp.Or(c.HeadSize, c.Width/max(c.Heads, 1))
	c.Positions = cmp.Or(c.Positions, 2048)
	c.Activation = cmp.Or(c.Activation, "silu")
	c.Eps = cmp.Or(c.Eps, 1e-6)
	c.RoPE.Type, c.RoPE.Theta = cmp.Or(c.RoPE.Type, "default"), cmp.Or(c.RoPE.Theta, 10000)
	c.InitializerRange = cmp.Or(c.InitializerRange, 0.02)
	c.Architectures = []string{classes[c.ModelType]}
	return c
}

// check refuses sizes that do not fit each other.
func (c Config) check() error {
	if err := hub.CheckSizes(c); err != nil {
		return err
	}
	if c.Heads%c.KeyValueHeads != 0 {
		return &hub.Error{Key: "num_key_value_heads", Err: fmt.Sprintf("%d do not divide the %d heads of queries", c.KeyValueHeads, c.Heads)}
	}
	return hub.CheckLayerTypes(c.LayerTypes, c.Layers)
}

// window returns how many tokens each one sees in a layer; 0 for all.
func (c Config) window(layer int) int {
	qwen := strings.HasPrefix(c.ModelType, "qwen")
	switch {
	case qwen && (c.UseWindow == nil || !*c.UseWindow):
		return 0
	case len(c.LayerTypes) > 0 && c.LayerTypes[layer] == hub.Full, len(c.LayerTypes) == 0 && qwen && layer < c.MaxWindowLayers:
		return 0
	default:
		return c.Window
	}
}
