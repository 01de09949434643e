package checkpoint

import (
	"path/filepath"
	"strings"
)

// Format is a file format. As an option of Write it is the format to write, which the extension tells unless given.
type Format string

// The formats.
const (
	Safetensors   Format = "safetensors"
	PyTorch       Format = "pytorch"        // the zip form of torch.save, since PyTorch 1.6
	PyTorchLegacy Format = "pytorch-legacy" // the form before that
	NPY           Format = "npy"            // one array
	NPZ           Format = "npz"            // arrays by name
)

// extensions are the formats that file names end in.
var extensions = map[string]Format{
	".safetensors": Safetensors, ".pt": PyTorch, ".pth": PyTorch, ".bin": PyTorch, ".npy": NPY, ".npz": NPZ,
}

// formatOf returns the format that a file name ends in, "" for none.
func formatOf(path string) Format { return extensions[strings.ToLower(filepath.Ext(path))] }
