// Package nn holds layers and the functions that treat any Go struct as a model.
//
// A model is a plain struct. Its fields of type *tensor.Tensor are parameters, its fields that lead to other structs,
// directly or through pointers, interfaces, slices and maps, are its modules:
//
//	type Net struct {
//		Hidden, Out *nn.Linear
//		Scale       *tensor.Tensor `nn:",buffer"`
//	}
//
// Names follow PyTorch's state dicts: the snake case of the field ("hidden.weight"), the index in a slice ("0.weight").
// A tag changes that: `nn:"in_proj_weight"` names, `nn:",buffer"` marks a tensor that is state but no parameter,
// `nn:",buffer,persistent=false"` one that moves with the model and is not in its state, `nn:",inline"` leaves the field out of
// the name, `nn:"-"` hides the field.
package nn
