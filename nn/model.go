package nn

import (
	"fmt"
	"iter"
	"reflect"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// Parameters yields the parameters of a model under their state-dict names, each once: of each module first its own,
// then its children's.
func Parameters(model any) iter.Seq2[string, *tensor.Tensor] { return tensors(model, false) }

// Buffers yields the tensors of a model that move with it and are no parameters: fields with the tag `nn:",buffer"`, and those with
// `nn:",buffer,persistent=false"`, which State leaves out.
func Buffers(model any) iter.Seq2[string, *tensor.Tensor] { return tensors(model, true) }

func tensors(model any, buffers bool) iter.Seq2[string, *tensor.Tensor] {
	return func(yield func(string, *tensor.Tensor) bool) {
		walk(model, &walker{visit: func(name string, t *tensor.Tensor, r role) bool {
			return (r != parameter) != buffers || yield(name, t)
		}})
	}
}

// Modules yields pointers to the structs of a model under their names, each once, PyTorch's named_modules: the model itself, which has none, then those that it holds.
// A struct that another embeds comes behind it, under its name.
func Modules(model any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		w := &walker{visit: func(string, *tensor.Tensor, role) bool { return true }}
		w.enter = func(path string, v reflect.Value) {
			if v.CanAddr() && v.Addr().CanInterface() && !w.done {
				w.done = !yield(path, v.Addr().Interface())
			}
		}
		walk(model, w)
	}
}

// ParameterList returns the parameters of a model, for an optimizer.
func ParameterList(model any) []*tensor.Tensor {
	var ps []*tensor.Tensor
	for _, p := range Parameters(model) {
		ps = append(ps, p)
	}
	return ps
}

// CountParameters returns the number of elements in all parameters.
func CountParameters(model any) int {
	n := 0
	for _, p := range Parameters(model) {
		n += p.NumEl()
	}
	return n
}

// ZeroGrad drops the gradients of all parameters.
func ZeroGrad(model any) {
	for _, p := range Parameters(model) {
		p.ZeroGrad()
	}
}

// To moves a model to a device, casts it to a floating dtype, or both, and returns it. It works in place: parameters keep
// their identity, so that optimizers go on, and their gradients move with them. A dtype concerns floating tensors only, and not
// the scales of quantized weights.
func To[M any](model M, targets ...tensor.Target) M {
	for _, t := range targets {
		checkTarget(t)
	}
	quantized := quantizedTensors(model)
	move := func(t *tensor.Tensor) {
		to := targets
		if !t.DType().IsFloat() || quantized[t] {
			to = withoutDType(targets)
		}
		moved := t.Detach().To(to...)
		if !moved.SharesStorage(t) {
			t.SetData(moved)
		}
	}
	for _, p := range Parameters(model) {
		move(p)
	}
	for _, b := range Buffers(model) {
		move(b)
	}
	return model
}

func checkTarget(t tensor.Target) {
	switch t := t.(type) {
	case dtype.DType:
		if !t.IsFloat() {
			panic(fault("to", fmt.Sprintf("nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=%s", t)))
		}
	case tensor.Copy:
		if t {
			panic(fault("to", ".to() does not accept copy argument"))
		}
	}
}

// quantizedTensors returns the tensors of a model's quantized weights, which compute with their scales in float32 whatever the dtype of the inputs.
func quantizedTensors(model any) map[*tensor.Tensor]bool {
	found := map[*tensor.Tensor]bool{}
	for _, m := range Modules(model) {
		if q, ok := m.(QuantizedWeight); ok {
			for _, t := range Buffers(q) {
				found[t] = true
			}
		}
	}
	return found
}

// withoutDType returns the targets that concern tensors which keep their dtype.
func withoutDType(targets []tensor.Target) []tensor.Target {
	var out []tensor.Target
	for _, target := range targets {
		switch target := target.(type) {
		case dtype.DType:
		case *tensor.Tensor:
			out = append(out, target.Device())
		default:
			out = append(out, target)
		}
	}
	return out
}

// CPU moves a model to the CPU and returns it.
func CPU[M any](model M) M { return To(model, device.CPU) }

// CUDA moves a model to a GPU, the current one where no index is given, and returns it.
func CUDA[M any](model M, index ...int) M { return To(model, device.CUDA(index...)) }

// Mode is embedded in modules that behave differently in training: Dropout, BatchNorm. Its zero value is training.
type Mode struct{ evaluating bool }

// Training reports whether the module is in training mode.
func (m *Mode) Training() bool { return !m.evaluating }

// Train puts a model in training mode, in place, and returns it.
func Train[M any](model M) M { return setMode(model, false) }

// Eval puts a model in evaluation mode, in place, and returns it: Dropout passes its input on, BatchNorm uses its running
// statistics.
func Eval[M any](model M) M { return setMode(model, true) }

var modeType = reflect.TypeFor[Mode]()

func setMode[M any](model M, evaluating bool) M {
	walk(model, &walker{
		visit: func(string, *tensor.Tensor, role) bool { return true },
		enter: func(_ string, v reflect.Value) {
			if v.Type() == modeType {
				if !v.CanAddr() || !v.Addr().CanInterface() {
					panic(fault("train", "nn.Mode must be embedded in a module that is reached by a pointer"))
				}
				v.Addr().Interface().(*Mode).evaluating = evaluating
			}
		},
	})
	return model
}
