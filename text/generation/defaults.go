package generation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadOptions returns what the generation_config.json of a model's folder says, or its config.json where there is none: the tokens that end texts, and how
// tokens are drawn where its do_sample is true.
func ReadOptions(dir string) (Options, error) {
	var c struct {
		EOS               json.RawMessage `json:"eos_token_id"`
		Sample            bool            `json:"do_sample"`
		Temperature       *float64        `json:"temperature"`
		TopK              *int            `json:"top_k"`
		TopP              float64         `json:"top_p"`
		MinP              float64         `json:"min_p"`
		RepetitionPenalty float64         `json:"repetition_penalty"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "generation_config.json"))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join(dir, "config.json"))
	}
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return Options{}, fmt.Errorf("settings of generation: %w", err)
	}
	o := Options{Sampler: Sampler{RepetitionPenalty: c.RepetitionPenalty}}
	if c.EOS != nil && json.Unmarshal(c.EOS, &o.End) != nil {
		var one *int
		if err := json.Unmarshal(c.EOS, &one); err != nil {
			return Options{}, fmt.Errorf("settings of generation: eos_token_id: %w", err)
		}
		if one != nil {
			o.End = []int{*one}
		}
	}
	if c.Sample {
		o.Temperature, o.TopK, o.TopP, o.MinP = 1, 50, c.TopP, c.MinP // transformers' defaults
		if c.Temperature != nil {
			o.Temperature = *c.Temperature
		}
		if c.TopK != nil {
			o.TopK = *c.TopK
		}
	}
	return o, nil
}
