// Package kern holds the CPU's inner loops over contiguous slices. A loop
// knows nothing of shapes, strides or threads: callers split the work and
// hand over pieces. The loops are plain Go and define the results; faster
// ones must give the same bits where they replace an elementwise loop.
package kern
