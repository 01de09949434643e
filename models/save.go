package models

import (
	"os"
	"path/filepath"

	"cresset/checkpoint"
	"cresset/dtype"
	"cresset/internal/hub"
	"cresset/nn"
	"cresset/tensor"
)

// maxShard is how many bytes a file of weights has at most.
const maxShard = 5e9

// Save writes a model and its config.json to a folder, which is made where there is none: what transformers' from_pretrained reads. The weights come in
// safetensors, in files of at most 5 GB, and quantized ones in the form of compressed-tensors; a tensor of several names, as tied weights have them, comes once.
func Save(dir string, m Model) error {
	more := hub.Config{}
	if q, err := quantizationOf(m); err != nil {
		return err
	} else if q != nil {
		more[quantizationKey] = q
	}
	config, err := hub.Write(m.Settings(), dtypeOf(m), more)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	state := nn.State(m)
	once := make(map[string]*tensor.Tensor, len(state))
	for name := range nn.Parameters(m) {
		once[name] = state[name]
	}
	for name := range nn.Buffers(m) {
		if x, kept := state[name]; kept {
			once[name] = x
		}
	}
	weights := filepath.Join(dir, "model.safetensors")
	if err := checkpoint.Write(weights, once, checkpoint.ShardSize(maxShard), checkpoint.Metadata(map[string]string{"format": "pt"})); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.json"), config, 0o666)
}

// dtypeOf returns the dtype of a model's floating parameters.
func dtypeOf(m Model) dtype.DType {
	for _, p := range nn.Parameters(m) {
		return p.DType()
	}
	return dtype.Float32
}
