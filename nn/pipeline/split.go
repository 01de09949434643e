package pipeline

import (
	"fmt"

	"cresset/nn"
)

// Split divides a chain into so many stages of about as many elements in their parameters, each of at least one module. The stages share the chain's modules.
func Split(model *nn.Sequential, stages int) []*nn.Sequential {
	if stages < 1 || stages > model.Len() {
		panic(fault(fmt.Sprintf("%d modules cannot be divided into %d stages", model.Len(), stages)))
	}
	total, before, at := nn.CountParameters(model), 0, 0
	parts := make([]*nn.Sequential, stages)
	for i := range parts {
		parts[i] = nn.NewSequential(model.At(at))
		held := nn.CountParameters(model.At(at))
		before += held
		at++
		for at < model.Len()-(stages-1-i) {
			next := nn.CountParameters(model.At(at))
			if i < stages-1 && held > 0 && next > 0 && (before+next/2)*stages > total*(i+1) {
				break // what has no parameters stays with the layer before it: an optimizer refuses a stage without
			}
			parts[i].Append(model.At(at))
			held += next
			before += next
			at++
		}
	}
	return parts
}
