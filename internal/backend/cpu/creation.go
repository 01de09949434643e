package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

func (t *table) addCreation() {
	addIntRange[uint8](t)
	addIntRange[int8](t)
	addIntRange[int16](t)
	addIntRange[int32](t)
	addIntRange[int64](t)
	addFloatRange[float32](t)
	addFloatRange[float64](t)
}

func addIntRange[T dtype.Integer](t *table) {
	dt := dtype.Of[T]()
	t[op.Arange][dt] = func(c *backend.Call) error {
		p, dst := c.Params.(op.Range), dense[T](&c.Out()[0])
		for i := range dst {
			dst[i] = T(p.IntStart + int64(i)*p.IntStep)
		}
		return nil
	}
	t[op.Linspace][dt] = func(c *backend.Call) error {
		p, dst := c.Params.(op.Range), dense[T](&c.Out()[0])
		linspace(dst, float64(int64(p.Start)), float64(int64(p.End)))
		return nil
	}
}

func addFloatRange[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.Arange][dt] = func(c *backend.Call) error {
		p, dst := c.Params.(op.Range), dense[T](&c.Out()[0])
		for i := range dst {
			dst[i] = T(p.Start + float64(float64(i)*p.Step))
		}
		return nil
	}
	t[op.Linspace][dt] = func(c *backend.Call) error {
		p, dst := c.Params.(op.Range), dense[T](&c.Out()[0])
		linspace(dst, T(p.Start), T(p.End))
		return nil
	}
}

// linspace counts up from start in the first half and down to end in the second, so that both ends are exact and the
// sequence is symmetric. It computes in F.
func linspace[T dtype.Number, F dtype.Float](dst []T, start, end F) {
	n := len(dst)
	if n == 1 {
		dst[0] = T(start)
		return
	}
	step := (end - start) / F(n-1)
	for i := range n / 2 {
		dst[i] = T(start + F(step*F(i)))
	}
	for i := n / 2; i < n; i++ {
		dst[i] = T(end - F(step*F(n-i-1)))
	}
}
