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

// TestWideResultsAreCasts wants of a product of halves that gives float32 the bits of the product, a cast and an addition, by the kernels that each card
// takes of itself: of tiles, of few columns, of lines that are not aligned, of a common axis that is divided.
func TestWideResultsAreCasts(t *testing.T) {
	slowUnderRace(t)
	for _, card := range []string{"gtx1070", "t4", "a100", "h100", "b200"} {
		dev := newCard(t, card).Device
		for i, s := range [][3]int{{33, 65, 40}, {24, 72, 2056}, {1, 40, 200}, {64, 3, 130}, {17, 40, 515}, {70, 40, 0}} {
			for _, onto := range []bool{false, true} {
				checkWide(t, dev, []dtype.DType{dtype.BFloat16, dtype.Float16}[i%2], s, i%4, i%3*4, onto, func(c *backend.Call) error {
					r := &rows[c.Op][c.DType]
					return r.launch(dev, c, r.kernel)
				})
			}
		}
	}
}

// TestWideResultsOfClusters is of the kernels that the TMA fills. Of one whose common axis is divided the last block of a tile adds the parts, or another launch
// does, which gives the same bits.
func TestWideResultsOfClusters(t *testing.T) {
	slowUnderRace(t)
	for _, card := range []string{"h100", "b200"} {
		wideResultsOfClusters(t, newCard(t, card).Device)
	}
}

func wideResultsOfClusters(t *testing.T, dev *Device) {
	for _, i := range mappedTiles(dev) {
		tile := &kernels.ProductTiles[i]
		for n, s := range [][3]int{{40, 72, 64}, {70, 33, 70}, {130, 200, 1024}} {
			var first []byte
			for _, joins := range []bool{false, true} {
				got := checkWide(t, dev, []dtype.DType{dtype.BFloat16, dtype.Float16}[n%2], s, n, 0, n > 0, func(c *backend.Call) error {
					return runMapped(t, dev, c, i, joins)
				})
				if first == nil {
					first = got
				}
				if !bytes.Equal(got, first) {
					t.Errorf("%s of %v: whether the block that ends last adds parts changes the result", tile.Kernel(kernels.Along, kernels.Along), s)
				}
			}
		}
	}
}

// runMapped multiplies by one family of tiles, which is told whether the block that ends last adds the parts.
func runMapped(t *testing.T, dev *Device, c *backend.Call, tile int, joins bool) error {
	m := newMultiplier(c.DType)
	s, p := productParams.begin(dev)
	defer s.free()
	describeProduct(p, c)
	describeEpilogue(p, c)
	s.lineUp(&p.A, &p.AStrides, [3]uint64{p.Count, p.M, p.K}, c.DType)
	b := [3]int64{p.BStrides[0], p.BStrides[2], p.BStrides[1]}
	s.lineUp(&p.B, &b, [3]uint64{p.Count, p.N, p.K}, c.DType)
	p.BStrides = [3]int64{b[0], b[2], b[1]}
	plan := kernels.PlanTiles(p, 1<<tile, dev.properties.Multiprocessors)
	if t := &kernels.ProductTiles[tile]; p.K >= 1024 && t.Divides() {
		plan.Divide(p, 4)
		plan.Joins = joins && t.Joins
	}
	if done, err := m.issueMapped(&s, p, &plan, c.DType); !done || err != nil {
		t.Errorf("not launched: %v", err)
	}
	c.Then, c.Epilogue = op.Invalid, nil
	return s.err
}

// checkWide compares a product that gives float32, and adds to what lies there, with the product, a cast and an addition, and returns the result.
func checkWide(t *testing.T, dev *Device, dt dtype.DType, s [3]int, turned, start int, onto bool, run func(c *backend.Call) error) []byte {
	t.Helper()
	m, n, k := s[0], s[1], s[2]
	var results [2][]byte
	for i, wide := range []bool{false, true} {
		c := backend.NewCall(op.AddMM, dt)
		defer c.Release()
		c.Params = op.Affine{Alpha: 1.5, Beta: 1}
		filled(t, dev, c.AddIn(), m, n, false, 0, dt)
		filled(t, dev, c.AddIn(), m, k, turned&1 != 0, start, dt)
		filled(t, dev, c.AddIn(), k, n, turned&2 != 0, start, dt)
		var y, other backend.View
		filled(t, dev, &y, m, n, false, 0, dtype.Float32)
		filled(t, dev, &other, m, n, false, 0, dtype.Float32)
		var after *backend.Epilogue
		if onto {
			after = &backend.Epilogue{Join: op.Add, Other: other}
		}
		if *c.AddOut() = y; wide {
			c.Epilogue = after
		} else {
			filled(t, dev, &c.Out()[0], m, n, false, 0, dt)
		}
		err := run(c)
		if err == nil && !wide {
			err = dev.convert(&y, &c.Out()[0])
			c.Out()[0], c.Epilogue = y, after
		}
		if err == nil {
			err = c.Follow(dev)
		}
		if err != nil {
			t.Fatal(err)
		}
		results[i] = make([]byte, m*n*4)
		if err := dev.CopyOut(results[i], y.Buf, 0); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(results[0], results[1]) {
		t.Error(fmt.Sprintf("%s of %v on %s, turned %d, added %v", dt, s, dev.properties.Name, turned, onto), "differs from the product, a cast and an addition")
	}
	return results[1]
}
