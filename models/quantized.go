package models

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cresset/internal/hub"
	"cresset/nn/quant"
)

// quantizationKey is the key of config.json that says how a model's weights are quantized.
const quantizationKey = "quantization_config"

// quantization is what it says, in the keys of compressed-tensors, of what cresset reads and writes.
type quantization struct {
	Method string                       `json:"quant_method"` // compressed-tensors
	Format string                       `json:"format"`       // int-quantized: a byte a number; pack-quantized: eight numbers in an int32
	Status string                       `json:"quantization_status"`
	Groups map[string]quantizationGroup `json:"config_groups"`
	Ignore []string                     `json:"ignore"` // names of layers, or re: and an expression that fits them
}

// quantizationGroup is layers that are quantized alike.
type quantizationGroup struct {
	Targets []string          `json:"targets"` // Linear
	Weights *quantizationArgs `json:"weights"`
	Inputs  *quantizationArgs `json:"input_activations"`
	Outputs *quantizationArgs `json:"output_activations"`
	Format  string            `json:"format,omitzero"`
}

// quantizationArgs says how numbers are quantized.
type quantizationArgs struct {
	Bits      int             `json:"num_bits"`
	Type      string          `json:"type"`       // int
	Strategy  string          `json:"strategy"`   // channel, group or token
	GroupSize *int            `json:"group_size"` // of strategy group
	Symmetric bool            `json:"symmetric"`
	Dynamic   json.RawMessage `json:"dynamic,omitzero"`  // true where scales follow from the numbers
	ActOrder  json.RawMessage `json:"actorder,omitzero"` // null or absent: groups are neighbours
}

const intQuantized, packQuantized = "int-quantized", "pack-quantized"

// readQuantization returns how the layers of a model folder are quantized, and which of them are not; a nil config where none is.
func readQuantization(c hub.Config) (config quant.Config, keep func(name string) bool, err error) {
	text, there := c[quantizationKey]
	if !there || string(text) == "null" {
		return nil, nil, nil
	}
	var q quantization
	if err := json.Unmarshal(text, &q); err != nil {
		return nil, nil, &hub.Error{Key: quantizationKey, Err: err.Error()}
	}
	if q.Method != "compressed-tensors" {
		return nil, nil, hub.Unsupported(quantizationKey, fmt.Sprintf("quant_method %q", q.Method), "compressed-tensors")
	}
	if len(q.Groups) != 1 {
		return nil, nil, hub.Unsupported(quantizationKey, fmt.Sprintf("%d config_groups", len(q.Groups)), "one")
	}
	for _, g := range q.Groups {
		if config, err = q.config(g); err != nil {
			return nil, nil, err
		}
	}
	keep, err = q.kept()
	return config, keep, err
}

// config returns the config of a group.
func (q *quantization) config(g quantizationGroup) (quant.Config, error) {
	w := g.Weights
	unsupported := func(what string, known ...string) (quant.Config, error) {
		return nil, hub.Unsupported(quantizationKey, what, known...)
	}
	format := q.Format
	if g.Format != "" {
		format = g.Format
	}
	switch {
	case !slices.Equal(g.Targets, []string{"Linear"}):
		return unsupported(fmt.Sprintf("targets %q", g.Targets), "Linear")
	case w == nil || w.Type != "int" || g.Outputs != nil:
		return unsupported("what is quantized otherwise than weights of type int")
	case w.ActOrder != nil && string(w.ActOrder) != "null":
		return unsupported(fmt.Sprintf("actorder %s", w.ActOrder))
	case g.Inputs != nil && !(g.Inputs.Bits == 8 && g.Inputs.Type == "int" && g.Inputs.Strategy == "token" && g.Inputs.Symmetric && string(g.Inputs.Dynamic) == "true"):
		return unsupported("input_activations other than dynamic, symmetric ones of 8 bits by token")
	case w.Bits == 8 && w.Strategy == "channel" && w.Symmetric && format == intQuantized:
		if g.Inputs != nil {
			return quant.Int8DynamicActivation{}, nil
		}
		return quant.Int8WeightOnly{}, nil
	case w.Bits == 4 && w.Strategy == "group" && w.GroupSize != nil && g.Inputs == nil && format == packQuantized:
		if s := *w.GroupSize; s != 32 && s != 64 && s != 128 {
			return unsupported(fmt.Sprintf("group_size %d", s), "32", "64", "128")
		}
		return quant.Int4WeightOnly{GroupSize: *w.GroupSize, Symmetric: w.Symmetric}, nil
	}
	return unsupported(fmt.Sprintf("weights of %d bits by %s in the format %s", w.Bits, w.Strategy, format),
		"8 bits by channel, symmetric, int-quantized", "4 bits by group, pack-quantized")
}

// kept returns what tells layers that are quantized from those that are not.
func (q *quantization) kept() (func(name string) bool, error) {
	var ignored []*regexp.Regexp
	for _, name := range q.Ignore {
		expression, is := strings.CutPrefix(name, "re:")
		if !is {
			expression = regexp.QuoteMeta(name) + "$"
		}
		r, err := regexp.Compile("^(?:" + expression + ")") // as Python's match, from the beginning
		if err != nil {
			return nil, &hub.Error{Key: quantizationKey, Err: fmt.Sprintf("ignore: %v", err)}
		}
		ignored = append(ignored, r)
	}
	return func(name string) bool {
		return !slices.ContainsFunc(ignored, func(r *regexp.Regexp) bool { return r.MatchString(name) })
	}, nil
}

// quantizationOf returns what config.json says of a model whose layers are quantized, nil of another.
func quantizationOf(m Model) (json.RawMessage, error) {
	weights := quantizationArgs{Type: "int", Dynamic: json.RawMessage("false")}
	g := quantizationGroup{Targets: []string{"Linear"}, Weights: &weights}
	switch c := quant.ConfigOf(m).(type) {
	case nil:
		return nil, nil
	case quant.Int4WeightOnly:
		weights.Bits, weights.Strategy, weights.Symmetric, weights.GroupSize, g.Format = 4, "group", c.Symmetric, &c.GroupSize, packQuantized
	default:
		weights.Bits, weights.Strategy, weights.Symmetric, g.Format = 8, "channel", true, intQuantized
		if c == (quant.Int8DynamicActivation{}) {
			g.Inputs = &quantizationArgs{Bits: 8, Type: "int", Strategy: "token", Symmetric: true, Dynamic: json.RawMessage("true")}
		}
	}
	_, ignored := quant.Layers(m)
	q := quantization{Method: "compressed-tensors", Format: g.Format, Status: "compressed", Groups: map[string]quantizationGroup{"group_0": g}, Ignore: ignored}
	return json.MarshalIndent(q, "  ", "  ")
}
