package tensor

// HStack joins tensors along the second axis, and vectors along their only one. A tensor without axes is a vector of one element.
func HStack(ts ...*Tensor) *Tensor {
	ts = eachOf("hstack", ts, func(t *Tensor) *Tensor { return t.withAxes(1) })
	return Cat(ts, min(1, ts[0].layout.Rank()-1))
}

// VStack joins tensors along the first axis. A vector is a matrix of one row.
func VStack(ts ...*Tensor) *Tensor {
	return Cat(eachOf("vstack", ts, func(t *Tensor) *Tensor { return t.withAxes(2) }), 0)
}

// DStack joins tensors along the third axis. A matrix gets it as a last one, a vector is a matrix of one row.
func DStack(ts ...*Tensor) *Tensor {
	return Cat(eachOf("dstack", ts, func(t *Tensor) *Tensor {
		if t = t.withAxes(2); t.layout.Rank() == 2 {
			return t.Unsqueeze(2)
		}
		return t
	}), 2)
}

// ColumnStack joins tensors along the second axis. A vector is a matrix of one column.
func ColumnStack(ts ...*Tensor) *Tensor {
	return Cat(eachOf("column_stack", ts, func(t *Tensor) *Tensor {
		if t.layout.Rank() < 2 {
			return t.View(t.layout.Size(), 1)
		}
		return t
	}), 1)
}

// withAxes gives x new axes in front as far as it has less than rank.
func (x *Tensor) withAxes(rank int) *Tensor {
	for x.layout.Rank() < rank {
		x = x.Unsqueeze(0)
	}
	return x
}

// eachOf applies f to each of the tensors to join.
func eachOf(name string, ts []*Tensor, f func(t *Tensor) *Tensor) []*Tensor {
	if len(ts) == 0 {
		fail(name, ErrValue, name+" expects a non-empty TensorList")
	}
	refuseNilIn(name, ts)
	out := make([]*Tensor, len(ts))
	for i, t := range ts {
		out[i] = f(t)
	}
	return out
}
