package models

import (
	"testing"

	"cresset/internal/hub"
)

// FuzzQuantizationConfig reads what strangers write of quantized weights: a config and what tells layers apart, or an error.
func FuzzQuantizationConfig(f *testing.F) {
	f.Add(`{"quant_method": "compressed-tensors", "format": "int-quantized", "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": true}}}, "ignore": ["re:.*head"]}`)
	f.Add(`{"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128}}}}`)
	f.Add(`{"quant_method": "compressed-tensors", "config_groups": {"a": null}}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		config, keep, err := readQuantization(hub.Config{quantizationKey: []byte(text)})
		if err == nil && config != nil {
			keep("model.layers.0.mlp.up_proj")
		}
		if err != nil && config != nil && keep != nil {
			t.Errorf("%s: an error beside %v", text, config)
		}
	})
}
