package tensor

import "cresset/internal/rng"

// Generator is a stream of random numbers of its own.
type Generator struct{ mt *rng.MT19937 }
