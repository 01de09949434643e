package tensor

import (
	"cresset/device"
	"cresset/internal/backend"
)

// stream is where the results of a scope are computed on one device: a backend that issues its work beside the device's own.
type stream struct {
	device device.Device
	on     backend.Backend
}

// scopeOption makes the scope's results on the device be computed on the stream.
func (t *stream) scopeOption(s *Scope) { s.stream.Store(t) }

// follow has the scope compute where another does, unless it was told where.
func (s *Scope) follow(other *Scope) {
	if t := other.stream.Load(); t != nil {
		s.stream.CompareAndSwap(nil, t)
	}
}

// backendOf returns what computes for a scope, which may be nil, on a device; it panics where nothing does.
func (s *Scope) backendOf(name string, dev device.Device) backend.Backend {
	if s != nil {
		if t := s.stream.Load(); t != nil && t.device == dev {
			return t.on
		}
	}
	return backendOf(name, dev)
}
