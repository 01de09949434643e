// Package checkpoint keeps models in files, and reads those that PyTorch, Hugging Face and NumPy write: safetensors, alone or in
// shards with an index, PyTorch's .pt, .pth and .bin, .npy and .npz.
//
//	err := checkpoint.Save("model.safetensors", model)
//	err = checkpoint.Load("model.safetensors", model)
//
// [Open] finds the format by the content, lists what is in the file, and reads a tensor when it is asked for one. Files are data:
// nothing in one is ever run, and what it claims is checked before memory is allocated for it. A file that breaks its format is a
// [*FormatError]. A file is written beside its place and renamed, so that a crash leaves the old one or the new one.
package checkpoint
