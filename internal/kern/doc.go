// Package kern holds the CPU's inner loops over contiguous slices.
//
// An elementwise loop knows nothing of shapes, strides or threads: callers split
// the work and hand over pieces. Products, convolutions, pools, reductions and
// normalizations are told extents and strides and share their work among threads
// themselves, by pieces that depend on the extents alone, so that results do not
// depend on the threads. The loops are plain Go and define the results; faster
// ones must give the same bits where they replace an elementwise loop.
package kern
