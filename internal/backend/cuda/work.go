package cuda

import (
	"cresset/internal/driver"
	"cresset/internal/profile"
)

// Names of copies, as CUPTI and so PyTorch's profiler spell them.
const (
	fromPageable = "Memcpy HtoD (Pageable -> Device)"
	fromPinned   = "Memcpy HtoD (Pinned -> Device)"
	toPageable   = "Memcpy DtoH (Device -> Pageable)"
	toPinned     = "Memcpy DtoH (Device -> Pinned)"
	withinDevice = "Memcpy DtoD (Device -> Device)"
	toPeer       = "Memcpy PtoP (Device -> Device)"
)

// These give copies and memsets to a stream, and tell a profile of them. Kernels are given by issue.

func (d *Device) copyToDevice(s stream, name string, to driver.Ptr, src []byte) driver.Result {
	w := d.watch(s, profile.Copy, name, len(src))
	r := d.api.MemcpyHtoDAsync(d.ctx, to, src, d.streams[s])
	w.end(r == driver.Success)
	return r
}

func (d *Device) copyToHost(s stream, name string, dst []byte, from driver.Ptr) driver.Result {
	w := d.watch(s, profile.Copy, name, len(dst))
	r := d.api.MemcpyDtoHAsync(d.ctx, dst, from, d.streams[s])
	w.end(r == driver.Success)
	return r
}

func (d *Device) copyWithin(to, from driver.Ptr, bytes int) driver.Result {
	w := d.watch(d.lane, profile.Copy, withinDevice, bytes)
	r := d.api.MemcpyDtoDAsync(d.ctx, to, from, uint64(bytes), d.streams[d.lane])
	w.end(r == driver.Success)
	return r
}

// copyToPeer copies to another device, on this one's compute stream.
func (d *Device) copyToPeer(peer *Device, to, from driver.Ptr, bytes int) driver.Result {
	w := d.watch(d.lane, profile.Copy, toPeer, bytes)
	r := d.api.MemcpyPeerAsync(d.ctx, to, peer.ctx, from, d.ctx, uint64(bytes), d.streams[d.lane])
	w.end(r == driver.Success)
	return r
}

// zero sets bytes of the device's memory to 0.
func (d *Device) zero(at uint64, bytes int) error {
	if c := d.captured(); c != nil {
		c.nodes = append(c.nodes, &zeroNode{driver.Ptr(at), uint64(bytes)})
		return nil
	}
	w := d.watch(d.lane, profile.Memset, "Memset (Device)", bytes)
	r := d.api.MemsetD8Async(d.ctx, driver.Ptr(at), 0, uint64(bytes), d.streams[d.lane])
	w.end(r == driver.Success)
	return d.result(r)
}
