// Package kern holds the CPU's inner loops over contiguous slices.
//
// An elementwise loop knows nothing of shapes, strides or threads: callers split
// the work and hand over pieces. Products, convolutions, pools, reductions and
// normalizations are told extents and strides and share their work among threads
// themselves. The order in which numbers are added depends on the extents alone, so
// results do not depend on the threads. The loops in Go define the results; those of package
// vec, which run first where the CPU has them, give the same bits elementwise.
package kern
