// Package onnxnode runs ONNX's backend tests of single nodes with cresset. scripts/onnx_nodes.py writes them, from the Python package
// onnx; without them the test is skipped. Its tables say in Go what each operator is.
package onnxnode
