package tui

import "math"

// samples is how many looks a history holds: what the widest terminals show.
const samples = 256

// absent is a value that a GPU did not report.
var absent = math.NaN()

// history holds the last values of something, from 0 to 1.
type history struct {
	ring [samples]float64
	n    int // values that were ever added
}

func (h *history) add(v float64) {
	h.ring[h.n%samples] = v
	h.n++
}

// last returns the value that was added so many values ago, 0 being the latest; absent where there is none.
func (h *history) last(ago int) float64 {
	if ago >= h.n || ago >= samples {
		return absent
	}
	return h.ring[(h.n-1-ago)%samples]
}

// histories are what is drawn of a GPU.
type histories struct{ utilization, memory, temperature, power history }

const hot = 100 // degrees Celsius at which a temperature's history is full

// share returns value/whole as a part of a history; absent where either is.
func share[T int | float64](value, whole *T) float64 {
	if value == nil || whole == nil || *whole <= 0 {
		return absent
	}
	return math.Min(1, math.Max(0, float64(*value)/float64(*whole)))
}
