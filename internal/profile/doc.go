// Package profile records what a program computes: what the host does (ops, gradients, regions that the program names) and what GPUs do on
// its behalf (kernels, copies, memory). Package cuda shows what was recorded.
//
// While nothing records, a place that could tell something looks at one word and goes on.
package profile
