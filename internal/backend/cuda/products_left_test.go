package cuda

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// TestTilesThatAreLeft multiplies by the families whose blocks add parts, as on a card that runs four tiles at once: of five the common axis of the last alone is
// divided.
func TestTilesThatAreLeft(t *testing.T) {
	slowUnderRace(t)
	defer SetProductRounding(ProductRounding())
	for preset, families := range map[string]string{"a100": "_(async|mma|dmma|tf32)_", "t4": "_mma8_", "h100": "_dmma16_"} {
		card := newCard(t, preset)
		for i := range kernels.ProductTiles {
			tile := &kernels.ProductTiles[i]
			name := tile.Kernel(kernels.Along, kernels.Across)
			for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
				if !tile.Joins || !tile.Has(dt) || !regexp.MustCompile(families).MatchString(name) {
					continue
				}
				var rows, columns int
				fmt.Sscanf(name, "product_%dx%d", &rows, &columns)
				SetProductRounding(tile.TF32)
				checkProduct(t, card.Device, dt, [3]int{4*rows + rows/2, columns - 8, 264}, 0, 0, func(c *backend.Call) error {
					return multiplyBehind(t, card.Device, c, i, 4, 1)
				})
			}
		}
	}
}

// TestMatricesThatAreLeft multiplies ten matrices of a tile each, of which the last two are divided.
func TestMatricesThatAreLeft(t *testing.T) {
	slowUnderRace(t)
	const count, m, n, k = 10, 40, 56, 264
	dev := newCard(t, "a100").Device
	for kernel, dt := range map[string]dtype.DType{"product_128x256_mma_kn": dtype.BFloat16, "product_64x64_async_xn": dtype.Float32, "product_64x64_dmma_kn": dtype.Float64} {
		tile := slices.IndexFunc(kernels.ProductTiles[:], func(p kernels.ProductTile) bool { return p.Kernel(kernels.Along, kernels.Across) == kernel })
		c := backend.NewCall(op.BMM, dt)
		defer c.Release()
		in := c.AddIn()
		a := filled(t, dev, in, count*m, k, false, 0, dt)
		in.Layout = batch(layout.Shape{count, m, k}, m*k, k, 1)
		in = c.AddIn()
		b := filled(t, dev, in, count*k, n, false, 0, dt)
		in.Layout = batch(layout.Shape{count, k, n}, k*n, n, 1)
		out := c.AddOut()
		filled(t, dev, out, count*m, n, false, 0, dt)
		out.Layout = batch(layout.Shape{count, m, n}, m*n, n, 1)
		if err := multiplyBehind(t, dev, c, tile, 8, 2); err != nil {
			t.Fatalf("%s: %v", kernel, err)
		}
		judge(t, dev, c, k, kernel, func(i, l int) float64 { return a(i/n, l) * b(i/(m*n)*k+l, i%n) })
	}
}

// multiplyBehind multiplies by a family as on a card that runs so few tiles at once that those which are left lie behind `whole`.
func multiplyBehind(t *testing.T, dev *Device, c *backend.Call, tile int, whole, left uint64) error {
	s, p := productParams.begin(dev)
	defer s.free()
	describeProduct(p, c)
	plan := kernels.PlanTiles(p, 1<<tile, 1)
	for few := 1; few <= int(whole) && plan.Whole != whole; few *= 2 {
		plan.Even(p, few)
	}
	plan.Joins = true
	if plan.Whole != whole || plan.Tiles() != left || plan.Parts < 2 {
		t.Errorf("%s of %s: %d tiles in %d parts behind %d", kernels.ProductTiles[tile].Kernel(plan.A, plan.B), c.DType, plan.Tiles(), plan.Parts, plan.Whole)
	}
	return newMultiplier(c.DType).issue(&s, p, &plan)
}
