package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/statedict"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// Snapshot names what a training needs to go on as if it had not stopped: pointers to models, what is Stateful, generators,
// tensors, and pointers to numbers, texts, truth values and slices and maps of them. The default generators of the CPU and of the
// GPUs in use are always part of it, under the name "rng".
//
//	training := checkpoint.Snapshot{"model": net, "optimizer": opt, "schedule": schedule, "loader": loader, "epoch": &epoch}
type Snapshot map[string]any

// Stateful is whatever tells its state in plain values: the optimizers and schedules of package optim, data.Loader, and what a
// program makes likewise. Plain values are nil, truth values, numbers, texts, tensors, slices, arrays, and maps with texts or
// integers as keys.
type Stateful interface {
	StateDict() map[string]any
	LoadStateDict(state map[string]any) error
}

// random is the name of the default generators' states.
const random = "rng"

// capture returns the states of all parts.
func (s Snapshot) capture() (map[string]any, error) {
	state := map[string]any{random: randomState()}
	for name, part := range s {
		if name == random {
			return nil, fmt.Errorf("a snapshot has the random numbers under %q, so that no part can have this name", random)
		}
		err := try(func() (err error) {
			state[name], err = capture(part)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("snapshot: %q: %w", name, err)
		}
	}
	return state, nil
}

func capture(part any) (any, error) {
	if none := nilOf(part); none != "" {
		return nil, errors.New(none + " has no state")
	}
	switch part := part.(type) {
	case Stateful:
		return part.StateDict(), nil
	case *tensor.Generator:
		return tensor.FromSlice(part.State()), nil
	case *tensor.Tensor:
		return part.Detach(), nil
	case optim.Optimizer, optim.Schedule:
		return nil, fmt.Errorf("a %T has no StateDict and LoadStateDict", part)
	}
	v := reflect.ValueOf(part)
	if v.Kind() != reflect.Pointer {
		return nil, fmt.Errorf("a %T could not be restored: it has to be a pointer", part)
	}
	if v.Elem().Kind() != reflect.Struct {
		return v.Elem().Interface(), nil
	}
	model := nn.State(part)
	if len(model) == 0 {
		return nil, fmt.Errorf("a %T has neither tensors nor StateDict and LoadStateDict", part)
	}
	return model, nil
}

// restore gives all parts the states of a file. Parts that the file lacks, or has besides, are a *nn.StateError.
func (s Snapshot) restore(state map[string]any) error {
	bad := &nn.StateError{Model: "Snapshot"}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if _, ok := state[name]; !ok {
			bad.Missing = append(bad.Missing, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if _, ok := s[name]; !ok && name != random {
			bad.Unexpected = append(bad.Unexpected, name)
		}
	}
	if len(bad.Missing)+len(bad.Unexpected) > 0 {
		return bad
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if err := try(func() error { return restore(s[name], state[name]) }); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	if err := try(func() error { return setRandomState(state[random]) }); err != nil {
		return fmt.Errorf("%q: %w", random, err)
	}
	return nil
}

func restore(part, state any) error {
	if none := nilOf(part); none != "" {
		return errors.New(none + " cannot be restored")
	}
	switch part := part.(type) {
	case Stateful:
		dict, ok := state.(map[string]any)
		if !ok {
			return fmt.Errorf("expected a dict, but found %T", state)
		}
		return part.LoadStateDict(dict)
	case *tensor.Generator:
		d := statedict.Read(map[string]any{"state": state})
		if bytes := d.Bytes("state"); d.Err() == nil {
			part.SetState(bytes)
		}
		return d.Err()
	case *tensor.Tensor:
		from, ok := state.(*tensor.Tensor)
		if !ok || !from.Shape().Equal(part.Shape()) {
			return fmt.Errorf("expected a tensor of shape %s", part.Shape())
		}
		part.Detach().CopyInPlace(from.Detach())
		return nil
	}
	v := reflect.ValueOf(part)
	if v.Kind() != reflect.Pointer {
		return fmt.Errorf("a %T cannot be restored: it has to be a pointer", part)
	}
	if v.Elem().Kind() != reflect.Struct {
		return assign(v.Elem(), state)
	}
	var model map[string]*tensor.Tensor
	if err := assign(reflect.ValueOf(&model).Elem(), state); err != nil {
		return err
	}
	return nn.LoadState(part, model)
}

// randomState returns the states of the default generators, as torch.get_rng_state and torch.cuda.get_rng_state_all do.
func randomState() map[string]any {
	gpus := cuda.RNGStateAll()
	states := make([]*tensor.Tensor, len(gpus))
	for i := range gpus {
		states[i] = tensor.FromSlice(gpus[i])
	}
	return map[string]any{"cpu": tensor.FromSlice(tensor.DefaultGenerator(device.CPU).State()), "cuda": states}
}

func setRandomState(state any) error {
	d := statedict.Read(map[string]any{random: state}).Dict(random)
	cpu, gpus := d.Bytes("cpu"), d.BytesOfAll("cuda")
	if d.Err() != nil {
		return d.Err()
	}
	tensor.DefaultGenerator(device.CPU).SetState(cpu)
	return cuda.SetRNGStateAll(gpus)
}
