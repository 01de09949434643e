//go:build linux || darwin

package sim

import "golang.org/x/sys/unix"

// mapped returns zeroed memory whose pages the host backs when they are first written. Go's own memory would count towards
// the collector's pace.
func mapped(bytes int) (data []byte, release func(), err error) {
	data, err = unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, nil, err
	}
	return data, func() { unix.Munmap(data) }, nil
}
