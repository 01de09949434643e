package optim

import "cresset/internal/statedict"

// setting is an entry of a state dict that tells what an optimizer or a schedule was made with.
type setting struct {
	name string
	at   any // a *float64, *int, *bool or *[2]float64; or, where nothing here depends on the entry, always or only
}

// always is written whatever happens, and not read.
type always struct{ value any }

// only is the one value there can be here: another asks for what is not there.
type only struct{ value any }

// executed are settings that say how PyTorch runs a step, which changes no result.
var executed = []setting{{"foreach", always{nil}}, {"differentiable", always{false}}, {"fused", always{nil}}}

// put writes settings into a state dict.
func put(state map[string]any, settings []setting) {
	for _, s := range settings {
		switch at := s.at.(type) {
		case *float64:
			state[s.name] = *at
		case *int:
			state[s.name] = *at
		case *bool:
			state[s.name] = *at
		case *[2]float64:
			state[s.name] = *at
		case always:
			state[s.name] = at.value
		case only:
			state[s.name] = at.value
		}
	}
}

// take reads settings from a state dict; those that it lacks stay as they are.
func take(d *statedict.Dict, settings []setting) {
	for _, s := range settings {
		if !d.Has(s.name) {
			continue
		}
		switch at := s.at.(type) {
		case *float64:
			*at = d.Float(s.name)
		case *int:
			*at = d.Int(s.name)
		case *bool:
			*at = d.Bool(s.name)
		case *[2]float64:
			if pair := d.Floats(s.name); len(pair) == len(at) {
				*at = [2]float64(pair)
			} else {
				d.Refuse("the state dict's %s should be two numbers, not %d", s.name, len(pair))
			}
		case only:
			if !d.Is(s.name, at.value) {
				d.Refuse("the state dict has %s=%v, which is not supported: only %v is", s.name, d.Value(s.name), at.value)
			}
		}
	}
}
