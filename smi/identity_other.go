//go:build !linux

package smi

// inspect tells nothing: only Linux says it in files.
func inspect(int) (uid int, names, arguments []string, ok bool) { return 0, nil, nil, false }
