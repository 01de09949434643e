package tensor

import "cresset/internal/par"

// NumThreads returns how many threads an operation on the CPU may use.
func NumThreads() int { return par.NumThreads() }

// SetNumThreads limits how many threads an operation on the CPU may use; 0 takes the limit away. GOMAXPROCS is a limit too,
// which Go itself sets to the CPUs that a container may use. Results do not depend on the number.
func SetNumThreads(n int) { par.SetNumThreads(n) }
