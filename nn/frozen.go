package nn

import "cresset/tensor"

// Frozen returns a copy of a model for inference: the same structs in evaluation mode, over parameters that share the
// model's storage but do not track gradients. Later training of the model is seen by the copy; it may be shared between
// goroutines as long as nobody trains.
func Frozen[M any](model M) M {
	return Eval(Copy(model, (*tensor.Tensor).Detach))
}
