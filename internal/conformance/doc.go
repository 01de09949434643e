// Package conformance evaluates with cresset what was recorded from PyTorch, on the CPU and on GPUs: operations, and mistakes.
// Its tables say in Go what a Python name means; a name that is in no table must be listed with the reason why cresset lacks
// it.
//
// The recordings lie in testdata. CRESSET_GOLDENS names a folder with others of the same cases, made from another seed.
package conformance
