package cli

import (
	"fmt"
	"math"

	"cresset/tensor"
)

// statistics are of the elements of a tensor, as numbers in float64; true counts as 1.
type statistics struct {
	Min   *float64 `json:"min"` // of finite elements, as all below; null where there are none
	Max   *float64 `json:"max"`
	Mean  *float64 `json:"mean"`
	Std   *float64 `json:"std"` // of the population
	Zeros int      `json:"zeros"`
	NaN   int      `json:"nan"`
	Inf   int      `json:"inf"`
}

// chunkElements is how many elements are looked at as float64 at a time.
const chunkElements = 1 << 20

// eachChunk passes the elements of tensors of one shape to f, in row-major order, a few at a time.
func eachChunk(f func(values ...[]float64), ts ...*tensor.Tensor) {
	flat := make([]*tensor.Tensor, len(ts))
	for i, x := range ts {
		flat[i] = x.Contiguous().View(-1)
	}
	for at, n := 0, flat[0].NumEl(); at < n; at += chunkElements {
		values := make([][]float64, len(flat))
		for i, x := range flat {
			values[i] = tensor.Values[float64](x.Narrow(0, at, min(chunkElements, n-at)))
		}
		f(values...)
	}
}

// newStatistics counts the elements of x, in two passes, so that the deviation is exact.
func newStatistics(x *tensor.Tensor) *statistics {
	s := &statistics{}
	least, most, sum, finite := math.Inf(1), math.Inf(-1), 0.0, 0
	eachChunk(func(values ...[]float64) {
		for _, v := range values[0] {
			switch {
			case math.IsNaN(v):
				s.NaN++
			case math.IsInf(v, 0):
				s.Inf++
			default:
				finite++
				sum += v
				least, most = min(least, v), max(most, v)
			}
			if v == 0 {
				s.Zeros++
			}
		}
	}, x)
	if finite == 0 {
		return s
	}
	mean, squares := sum/float64(finite), 0.0
	eachChunk(func(values ...[]float64) {
		for _, v := range values[0] {
			if d := v - mean; !math.IsNaN(d) && !math.IsInf(d, 0) {
				squares += d * d
			}
		}
	}, x)
	std := math.Sqrt(squares / float64(finite))
	s.Min, s.Max, s.Mean, s.Std = finiteOr(least), finiteOr(most), finiteOr(mean), finiteOr(std)
	return s
}

// finiteOr returns nil for what JSON cannot say: sums of float64 may overflow.
func finiteOr(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// statsHeader returns the names of the columns, where tensors were measured.
func statsHeader(rows []tensorRow) string {
	for _, row := range rows {
		if row.Stats != nil {
			return "\tMIN\tMAX\tMEAN\tSTD"
		}
	}
	return ""
}

// columns returns the statistics as columns of a table; nothing for none.
func (s *statistics) columns() string {
	if s == nil {
		return ""
	}
	text := ""
	for _, v := range []*float64{s.Min, s.Max, s.Mean, s.Std} {
		if v == nil {
			text += "\t-"
		} else {
			text += fmt.Sprintf("\t%.4g", *v)
		}
	}
	return text
}
