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

// pieceElements is how many elements are looked at before the question whether to go on.
const pieceElements = 1 << 20

// eachPiece passes the elements of tensors of one shape to f, in row-major order, a few of each at a time, as contiguous tensors of
// one axis. An error of stop ends it.
func eachPiece(stop func() error, f func(pieces ...*tensor.Tensor), ts ...*tensor.Tensor) error {
	flat, pieces := make([]*tensor.Tensor, len(ts)), make([]*tensor.Tensor, len(ts))
	for i, x := range ts {
		flat[i] = x.Contiguous().View(-1)
	}
	for at, n := 0, flat[0].NumEl(); at < n; at += pieceElements {
		if err := stop(); err != nil {
			return err
		}
		for i, x := range flat {
			pieces[i] = x.Narrow(0, at, min(pieceElements, n-at))
		}
		f(pieces...)
	}
	return nil
}

// newStatistics counts the elements of x, until stop returns an error.
func newStatistics(x *tensor.Tensor, stop func() error) (*statistics, error) {
	all := newMoments()
	if err := eachPiece(stop, func(pieces ...*tensor.Tensor) { all.addTensor(pieces[0]) }, x); err != nil {
		return nil, err
	}
	s := &statistics{Zeros: all.zeros, NaN: all.nan, Inf: all.inf}
	if all.finite > 0 {
		s.Min, s.Max, s.Mean = finiteOr(all.least), finiteOr(all.most), finiteOr(all.mean)
		s.Std = finiteOr(math.Sqrt(all.squares / float64(all.finite)))
	}
	return s, nil
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
