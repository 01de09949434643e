package tensor

import "cresset/internal/par"

// NumThreads returns how many threads an operation on the CPU may use.
func NumThreads() int { return par.NumThreads() }

// SetNumThreads limits how many threads an operation on the CPU may use; GOMAXPROCS is a limit too, and 0 leaves that
// alone. Results do not depend on it.
func SetNumThreads(n int) { par.SetNumThreads(n) }
