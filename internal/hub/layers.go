package hub

import (
	"fmt"
	"strconv"
)

// What layers of a decoder see: all tokens before, or a window of them.
const (
	Full    = "full_attention"
	Sliding = "sliding_attention"
)

// CheckLayerTypes refuses types that are not those of as many layers; none stands for the family's own.
func CheckLayerTypes(types []string, layers int) error {
	if len(types) != 0 && len(types) != layers {
		return &Error{Key: "layer_types", Err: fmt.Sprintf("%d of them for %d layers", len(types), layers)}
	}
	for _, kind := range types {
		if kind != Full && kind != Sliding {
			return Unsupported("layer_types", strconv.Quote(kind), Full, Sliding)
		}
	}
	return nil
}
