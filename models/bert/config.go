package bert

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	"cresset/internal/hub"
)

// The names that transformers has for what a model is made for.
const (
	Embeddings     = "BertModel"
	MaskedTokens   = "BertForMaskedLM"
	Classification = "BertForSequenceClassification"
)

// Config are the sizes and choices of a model, with the names of transformers' config.json. What is 0 is as in BERT, but for the sizes, which have to be given.
type Config struct {
	ModelType        string                     `json:"model_type"`
	Architectures    []string                   `json:"architectures"` // of one: Embeddings, MaskedTokens or Classification
	Vocabulary       int                        `json:"vocab_size" hub:"size"`
	Width            int                        `json:"hidden_size" hub:"size"`
	Hidden           int                        `json:"intermediate_size" hub:"size"` // width within a layer's last step
	Layers           int                        `json:"num_hidden_layers" hub:"count"`
	Heads            int                        `json:"num_attention_heads" hub:"count"`
	Positions        int                        `json:"max_position_embeddings" hub:"size"` // the longest sequence
	Types            int                        `json:"type_vocab_size" hub:"size"`         // of tokens: first and second sentence
	Activation       string                     `json:"hidden_act"`
	Eps              float64                    `json:"layer_norm_eps"`
	HiddenDropout    float64                    `json:"hidden_dropout_prob"`
	AttentionDropout float64                    `json:"attention_probs_dropout_prob"`
	ClassDropout     *float64                   `json:"classifier_dropout"` // nil: HiddenDropout
	InitializerRange float64                    `json:"initializer_range"`  // standard deviation of new weights
	Labels           map[string]string          `json:"id2label,omitzero"`  // of classes, by their numbers
	LabelCount       int                        `json:"num_labels,omitzero"`
	PositionKind     string                     `json:"position_embedding_type,omitzero"` // refused but for "absolute"
	Decoder          bool                       `json:"is_decoder,omitzero"`              // refused: tokens see each other
	Rest             map[string]json.RawMessage `json:"-"`                                // what else a config.json says; models.Save writes it again
}

// ReadConfig returns the settings of a config.json.
func ReadConfig(text []byte) (Config, error) {
	from, err := hub.Parse(text)
	if err != nil {
		return Config{}, err
	}
	c := Config{Positions: 512, Types: 2, HiddenDropout: 0.1, AttentionDropout: 0.1}
	return c, from.Decode(&c)
}

// filled returns the settings with BERT's in the place of those that are 0.
func (c Config) filled() Config {
	c.ModelType = "bert"
	if c.Architectures == nil {
		c.Architectures = []string{Embeddings}
	}
	c.Positions, c.Types = cmp.Or(c.Positions, 512), cmp.Or(c.Types, 2)
	c.Hidden = cmp.Or(c.Hidden, 4*c.Width)
	c.Activation = cmp.Or(c.Activation, "gelu")
	c.Eps = cmp.Or(c.Eps, 1e-12)
	c.InitializerRange = cmp.Or(c.InitializerRange, 0.02)
	if c.Labels == nil && c.Architectures[0] == Classification {
		c.Labels = hub.NewLabels(cmp.Or(c.LabelCount, 2))
	}
	return c
}

// check refuses sizes that do not fit each other, and what is not implemented.
func (c Config) check() error {
	switch err := hub.CheckSizes(c); {
	case err != nil:
		return err
	case c.Width%c.Heads != 0:
		return &hub.Error{Key: "num_attention_heads", Err: fmt.Sprintf("%d heads do not divide a width of %d", c.Heads, c.Width)}
	case c.PositionKind != "" && c.PositionKind != "absolute":
		return hub.Unsupported("position_embedding_type", strconv.Quote(c.PositionKind), `"absolute"`)
	case c.Decoder:
		return hub.Unsupported("is_decoder", true, "false")
	}
	switch c.Architectures[0] {
	case Embeddings, MaskedTokens, Classification:
		return nil
	default:
		return hub.Unsupported("architectures", json.RawMessage(strconv.Quote(c.Architectures[0])), Embeddings, MaskedTokens, Classification)
	}
}
