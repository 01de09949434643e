package cuda

import (
	"strconv"
	"strings"
)

// pyError is an error in PyTorch's words, which begin and end as they like.
type pyError string

func (e pyError) Error() string { return string(e) }

// pyFloat writes a float as Python does: with a point.
func pyFloat(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if strings.Trim(s, "-0123456789") == "" {
		s += ".0"
	}
	return s
}
