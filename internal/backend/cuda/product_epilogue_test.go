package cuda

import (
	"bytes"
	"fmt"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// epilogueCase is what follows a product.
type epilogueCase struct {
	then, join, gate op.Op
	x, other, aside  bool
}

func (e epilogueCase) String() string {
	return fmt.Sprintf("%v %v %v aside %v", e.then, e.join, e.gate, e.aside)
}

var epilogueCases = []epilogueCase{
	{then: op.ReLU},
	{then: op.GELU, aside: true},
	{then: op.GELUTanh, aside: true},
	{then: op.SiLU},
	{then: op.SiLU, join: op.Mul, other: true, aside: true},
	{then: op.GELUTanh, join: op.Add, other: true},
	{join: op.Add, other: true},
	{then: op.ReLUGrad, x: true},
	{then: op.GELUGrad, x: true},
	{then: op.GELUTanhGrad, x: true, join: op.Add, other: true},
	{then: op.SiLUGrad, x: true},
	{then: op.SiLUGrad, gate: op.SiLU, x: true, other: true, aside: true},
	{then: op.GELUTanhGrad, gate: op.GELUTanh, x: true, other: true, aside: true},
}

// TestEpiloguesAreTheOpsOneByOne wants of a product with an epilogue the bits of the product and of the ops after it, by kernels of every family
// that a card would take, and that the product's kernel computes them.
func TestEpiloguesAreTheOpsOneByOne(t *testing.T) {
	slowUnderRace(t)
	shapes := [][3]int{{33, 65, 40}, {17, 72, 515}, {1, 40, 200}, {64, 3, 130}, {70, 40, 0}}
	for _, card := range []string{"gtx1070", "t4", "a100", "h100", "b200"} {
		dev := newCard(t, card).Device
		for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float16} {
			for i, e := range epilogueCases {
				s := shapes[i%len(shapes)]
				checkEpilogue(t, dev, dt, s, e, i%4, 4+i%2*4, dt == dtype.Float32, func(c *backend.Call) error {
					r := &rows[c.Op][c.DType]
					return r.launch(dev, c, r.kernel)
				})
			}
		}
	}
}

// checkEpilogue compares a product with an epilogue, launched by run, with the same launched without it and the ops after it.
func checkEpilogue(t *testing.T, dev *Device, dt dtype.DType, s [3]int, e epilogueCase, turned, start int, taken bool, run func(c *backend.Call) error) {
	t.Helper()
	m, n, k := s[0], s[1], s[2]
	var want, got [][]byte
	for _, fused := range []bool{false, true} {
		c := backend.NewCall(op.AddMM, dt)
		defer c.Release()
		c.Params = op.Affine{Alpha: 1.5, Beta: 1}
		filled(t, dev, c.AddIn(), m, n, false, 0, dt)
		filled(t, dev, c.AddIn(), m, k, turned&1 != 0, start, dt)
		filled(t, dev, c.AddIn(), k, n, turned&2 != 0, start, dt)
		filled(t, dev, c.AddOut(), m, n, false, 0, dt)
		after := &backend.Epilogue{Join: e.join, Gate: e.gate}
		views := []*backend.View{&c.Out()[0]}
		if e.x {
			filled(t, dev, &after.X, m, n, false, 0, dt)
		}
		if e.other {
			filled(t, dev, &after.Other, m, n, false, 0, dt)
		}
		if e.aside {
			filled(t, dev, &after.Aside, m, n, false, 0, dt)
			views = append(views, &after.Aside)
		}
		if fused {
			c.Then, c.Epilogue = e.then, after
		}
		if err := run(c); err != nil {
			t.Fatal(err)
		}
		if !fused {
			c.Then, c.Epilogue = e.then, after
		} else if left := c.Epilogue != nil; taken && left {
			t.Errorf("%s %v on %s, %v: left to others: %v", dt, s, dev.properties.Name, e, left)
		}
		if err := c.Follow(dev); err != nil {
			t.Fatal(err)
		}
		into := &want
		if fused {
			into = &got
		}
		for _, v := range views {
			raw := make([]byte, m*n*dt.Size())
			if err := dev.CopyOut(raw, v.Buf, 0); err != nil {
				t.Fatal(err)
			}
			*into = append(*into, raw)
		}
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("%s of %v on %s, turned %d, %v: result %d differs", dt, s, dev.properties.Name, turned, e, i)
		}
	}
}

// TestEpiloguesThroughTheTMA is of the kernels for large matrices, whose common axis some divide.
func TestEpiloguesThroughTheTMA(t *testing.T) {
	for _, card := range []string{"h100", "b200"} {
		dev := newCard(t, card).Device
		for _, tile := range mappedTiles(dev) {
			if !kernels.ProductTiles[tile].Walks() {
				continue
			}
			for i, e := range epilogueCases {
				dt, s := []dtype.DType{dtype.BFloat16, dtype.Float16}[i%2], [][3]int{{40, 72, 64}, {70, 33, 70}, {24, 40, 1024}}[i/2%3]
				checkEpilogue(t, dev, dt, s, e, i%4, 0, true, func(c *backend.Call) error { return runMapped(t, dev, c, tile, false) })
			}
		}
	}
}
