package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"cresset/nn"
)

// modernize gives settings of older versions of transformers the names that they have now: dtype, and rope_parameters for rope_theta and
// rope_scaling.
func (c Config) modernize() error {
	if raw, old := c["torch_dtype"]; old && c["dtype"] == nil {
		c["dtype"] = raw
	}
	delete(c, "torch_dtype")
	if c["rope_theta"] == nil && c["rope_scaling"] == nil {
		return nil
	}
	rope := map[string]json.RawMessage{"rope_type": json.RawMessage(`"default"`)}
	for _, key := range []string{"rope_scaling", "rope_parameters"} {
		if raw := c[key]; raw != nil {
			if err := json.Unmarshal(raw, &rope); err != nil {
				return &Error{Key: key, Err: err.Error()}
			}
		}
	}
	if rope == nil { // what null leaves
		rope = map[string]json.RawMessage{"rope_type": json.RawMessage(`"default"`)}
	}
	if raw, old := rope["type"]; old {
		rope["rope_type"] = raw
		delete(rope, "type")
	}
	if raw := c["rope_theta"]; raw != nil && rope["rope_theta"] == nil {
		rope["rope_theta"] = raw
	}
	delete(c, "rope_theta")
	delete(c, "rope_scaling")
	text, err := json.Marshal(rope)
	c["rope_parameters"] = text
	return err
}

// RoPE are the settings of rotary position embeddings.
type RoPE struct {
	Type            string  `json:"rope_type"`
	Theta           float64 `json:"rope_theta"`
	Factor          float64 `json:"factor,omitzero"`
	LowFreqFactor   float64 `json:"low_freq_factor,omitzero"`
	HighFreqFactor  float64 `json:"high_freq_factor,omitzero"`
	Original        int     `json:"original_max_position_embeddings,omitzero"`
	BetaFast        float64 `json:"beta_fast,omitzero"`
	BetaSlow        float64 `json:"beta_slow,omitzero"`
	AttentionFactor float64 `json:"attention_factor,omitzero"`
	MScale          float64 `json:"mscale,omitzero"`
	MScaleAllDim    float64 `json:"mscale_all_dim,omitzero"`
	Truncate        *bool   `json:"truncate,omitzero"`
	PartialRotary   float64 `json:"partial_rotary_factor,omitzero"`
}

// MarshalJSON writes the settings that are not 0.
func (r RoPE) MarshalJSON() ([]byte, error) {
	c, err := encode(reflect.ValueOf(r))
	if err != nil {
		return nil, err
	}
	return json.Marshal(c)
}

// Rotary returns the embedding for heads of a size and sequences of up to positions tokens.
func (r RoPE) Rotary(head, positions int) (*nn.Rotary, error) {
	size := head
	if r.PartialRotary != 0 {
		size = int(float64(head) * r.PartialRotary)
	}
	if size < 2 || size > head || size%2 != 0 {
		return nil, Unsupported("rope_parameters", fmt.Sprintf("turning %d of %d elements of a head", size, head))
	}
	if !(r.Theta > 1) {
		return nil, &Error{Key: "rope_parameters", Err: fmt.Sprintf("rope_theta is %v, a base of more than 1 is expected", r.Theta)}
	}
	scaling, err := r.scaling(positions)
	return &nn.Rotary{Size: size, Theta: r.Theta, Scaling: scaling}, err
}

// scaling returns how angles change for long contexts; nil for not at all.
func (r RoPE) scaling(positions int) (nn.RotaryScaling, error) {
	original := r.Original
	if original == 0 {
		original = positions
	}
	switch r.Type {
	case "default":
		return nil, nil
	case "linear":
		return nn.LinearScaling{Factor: r.Factor}, r.needs("factor", r.Factor)
	case "dynamic":
		return nn.DynamicScaling{Factor: r.Factor, MaxPositions: positions}, r.needs("factor", r.Factor)
	case "llama3":
		err := errors.Join(r.needs("factor", r.Factor), r.needs("low_freq_factor", r.LowFreqFactor), r.needs("high_freq_factor", r.HighFreqFactor))
		return nn.Llama3Scaling{Factor: r.Factor, LowFreqFactor: r.LowFreqFactor, HighFreqFactor: r.HighFreqFactor, MaxPositions: original}, err
	case "yarn":
		factor := r.Factor
		if factor == 0 {
			factor = float64(positions) / float64(original)
		}
		return nn.YaRNScaling{Factor: factor, MaxPositions: original, BetaFast: r.BetaFast, BetaSlow: r.BetaSlow, Attention: r.AttentionFactor,
			MScale: r.MScale, MScaleAllDim: r.MScaleAllDim, Fractional: r.Truncate != nil && !*r.Truncate}, nil
	default:
		return nil, Unsupported("rope_type", strconv.Quote(r.Type), "default", "linear", "dynamic", "llama3", "yarn")
	}
}

// needs refuses a factor that is not there or not positive.
func (r RoPE) needs(name string, v float64) error {
	if v > 0 {
		return nil
	}
	return &Error{Key: "rope_parameters", Err: fmt.Sprintf("rope_type %q needs a positive %s", r.Type, name)}
}
