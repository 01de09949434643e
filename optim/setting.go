package optim

import (
	"slices"

	"cresset/internal/statedict"
)

// setting is an entry of a state dict that tells what an optimizer or a schedule was made with.
type setting struct {
	name string
	at   any // a *float64, *int, *bool, *string, *[]float64 or *[2]float64, an entry; or, where nothing here depends on it, always or only
}

// entry is a setting of another type.
type entry struct {
	put  func() any
	take func(d *statedict.Dict, name string)
}

// always is written whatever happens, and not read.
type always struct{ value any }

// These settings say how PyTorch runs a step, which changes no result: all have executed, some fusable ones or capturable too.
var (
	executed   = []setting{{"foreach", always{nil}}, {"differentiable", always{false}}}
	fusable    = append(executed[:2:2], setting{"fused", always{nil}})
	capturable = setting{"capturable", always{false}}
)

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
		case *string:
			state[s.name] = *at
		case *[]float64:
			state[s.name] = slices.Clone(*at)
		case entry:
			state[s.name] = at.put()
		case always:
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
		case *string:
			*at = d.String(s.name)
		case *[]float64:
			if list := d.Floats(s.name); len(list) == len(*at) {
				*at = list
			} else {
				d.Refuse("the state dict's %s should be %d numbers, not %d", s.name, len(*at), len(list))
			}
		case entry:
			at.take(d, s.name)
		}
	}
}
