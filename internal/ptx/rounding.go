package ptx

import "math"

// rounding is a direction in which floats become integers. Other results are the nearest ones.
type rounding uint8

const (
	nearest rounding = iota
	towardZero
	down
	up
)

var roundings = map[string]rounding{"rni": nearest, "rzi": towardZero, "rmi": down, "rpi": up}

// whole rounds to an integer.
func (r rounding) whole(x float64) float64 {
	switch r {
	case towardZero:
		return math.Trunc(x)
	case down:
		return math.Floor(x)
	case up:
		return math.Ceil(x)
	}
	return math.RoundToEven(x)
}
