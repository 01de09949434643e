package kern

import (
	"cresset/internal/kern/vec"
	"cresset/internal/rng"
)

// Normal is rng.Normal by vectors.
func Normal(g *rng.MT19937, dst []float32, mean, std float64) {
	rng.NormalBy(g, dst, mean, std, func(blocks []float32) {
		const half, most = 8, 512
		var u, v [most]float32
		for len(blocks) > 0 {
			n := 0
			for ; n < most && 2*n < len(blocks); n += half {
				*(*[half]float32)(u[n:]) = [half]float32(blocks[2*n:])
				*(*[half]float32)(v[n:]) = [half]float32(blocks[2*n+half:])
			}
			BoxMuller(u[:n], v[:n], mean, std)
			for i := 0; i < n; i += half {
				*(*[half]float32)(blocks[2*i:]) = [half]float32(u[i:])
				*(*[half]float32)(blocks[2*i+half:]) = [half]float32(v[i:])
			}
			blocks = blocks[2*n:]
		}
	})
}

// BoxMuller makes of uniform draws u[i] and v[i] in [0, 1) normal ones.
func BoxMuller(u, v []float32, mean, std float64) {
	v = v[:len(u)]
	for i := vec.Unary(vec.BoxMuller, u, v, float32(std), float32(mean)); i < len(u); i++ {
		u[i], v[i] = rng.BoxMuller(u[i], v[i], mean, std)
	}
}
