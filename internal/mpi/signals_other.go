//go:build !linux

package mpi

// UCX, whose handlers are undone on Linux, runs nowhere else.

type actions struct{}

func keepFromSignals() {}

func signalActions() actions { return actions{} }

func (actions) restore() {}
