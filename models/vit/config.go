package vit

import (
	"cmp"
	"encoding/json"
	"fmt"

	"cresset/internal/hub"
)

// Config are the sizes and choices of a model, with the names of transformers' config.json. What is 0 is as in ViT-B/16, but for the sizes of layers, which have to be given.
type Config struct {
	ModelType        string                     `json:"model_type"`
	Architectures    []string                   `json:"architectures"`
	ImageSize        int                        `json:"image_size" hub:"size"` // pixels on a side
	PatchSize        int                        `json:"patch_size" hub:"size"`
	Channels         int                        `json:"num_channels" hub:"size"`
	Width            int                        `json:"hidden_size" hub:"size"`
	Hidden           int                        `json:"intermediate_size" hub:"size"` // width within a layer's last step
	Layers           int                        `json:"num_hidden_layers" hub:"count"`
	Heads            int                        `json:"num_attention_heads" hub:"count"`
	Activation       string                     `json:"hidden_act"`
	Eps              float64                    `json:"layer_norm_eps"`
	HiddenDropout    float64                    `json:"hidden_dropout_prob"`
	AttentionDropout float64                    `json:"attention_probs_dropout_prob"`
	Biased           *bool                      `json:"qkv_bias,omitzero"` // queries, keys and values have biases; nil: true
	InitializerRange float64                    `json:"initializer_range"` // standard deviation of new weights
	Labels           map[string]string          `json:"id2label,omitzero"` // of classes, by their numbers
	Rest             map[string]json.RawMessage `json:"-"`                 // what else a config.json says; models.Save writes it again
}

// ReadConfig returns the settings of a config.json.
func ReadConfig(text []byte) (Config, error) {
	from, err := hub.Parse(text)
	if err != nil {
		return Config{}, err
	}
	var c Config
	return c, from.Decode(&c)
}

// filled returns the settings with those of ViT-B/16 in the place of those that are 0.
func (c Config) filled() Config {
	c.ModelType, c.Architectures = "vit", []string{"ViTForImageClassification"}
	c.ImageSize, c.PatchSize, c.Channels = cmp.Or(c.ImageSize, 224), cmp.Or(c.PatchSize, 16), cmp.Or(c.Channels, 3)
	c.Hidden = cmp.Or(c.Hidden, 4*c.Width)
	c.Activation = cmp.Or(c.Activation, "gelu")
	c.Eps = cmp.Or(c.Eps, 1e-12)
	c.InitializerRange = cmp.Or(c.InitializerRange, 0.02)
	if c.Labels == nil {
		c.Labels = hub.NewLabels(2)
	}
	return c
}

// check refuses sizes that do not fit each other.
func (c Config) check() error {
	switch err := hub.CheckSizes(c); {
	case err != nil:
		return err
	case c.Width%c.Heads != 0:
		return &hub.Error{Key: "num_attention_heads", Err: fmt.Sprintf("%d heads do not divide a width of %d", c.Heads, c.Width)}
	case c.PatchSize > c.ImageSize:
		return &hub.Error{Key: "patch_size", Err: fmt.Sprintf("%d in pictures of %d", c.PatchSize, c.ImageSize)}
	default:
		return nil
	}
}
