package tensor

import (
	"slices"
	"strconv"
)

// signatureOf tells inputs apart for which a function is recorded anew. Where they begin in their memory does not count, so that parts of a
// data set have one recording.
func signatureOf(xs []*Tensor) string {
	var key []byte
	add := func(numbers ...int) {
		for _, n := range numbers {
			key = append(strconv.AppendInt(key, int64(n), 10), ' ')
		}
	}
	for i, x := range xs {
		add(int(x.dtype), truth(x.node != nil), x.Dim())
		add(x.layout.Shape()...)
		if !x.layout.IsContiguous() {
			add(x.layout.Strides()...)
		}
		key = append(key, x.storage.device.String()...)
		same := slices.IndexFunc(xs[:i], func(y *Tensor) bool { return y.storage == x.storage })
		if add(same); same >= 0 {
			add(x.layout.Offset - xs[same].layout.Offset)
		}
	}
	if !anyAutocast(xs) {
		return string(key)
	}
	for i, x := range xs {
		older, a := 0, x.scopeCasts()
		for _, y := range xs {
			older += truth(y.scopeOrder() < x.scopeOrder())
		}
		same := slices.IndexFunc(xs, func(y *Tensor) bool { return y.scopeCasts() == a })
		if add(older, same, truth(a == nil), truth(a == off)); same == i && a != nil {
			add(int(a.low[onCPU]), int(a.low[onGPU]), truth(a.cached))
		}
	}
	return string(key)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
