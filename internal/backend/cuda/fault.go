package cuda

import (
	"encoding/binary"
	"fmt"
	"sync"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/op"
)

// faultWord is where kernels report what is wrong with their data: a kernels.Fault in the device's memory, where atomic operations
// work on every machine, and in host memory that the device sees a flag, which it sets besides. So the host looks at its own memory.
type faultWord struct {
	ptr uint64 // of the Fault, on the device

	mu   sync.Mutex
	copy []byte // of the Fault, pinned
	flag []byte // not 0 where there is a fault
}

const (
	faultBytes   = 40
	clearedBytes = 32 // of a Fault, before the flag's address
)

func (d *Device) openFault() driver.Result {
	host, r := d.api.MemHostAlloc(d.ctx, faultBytes+8, driver.HostMapped|driver.HostPortable)
	if r != driver.Success {
		return r
	}
	clear(host)
	seen, r := d.api.MemHostGetDevicePointer(d.ctx, host, 0)
	if r != driver.Success {
		return r
	}
	p, r := d.api.MemAlloc(d.ctx, faultBytes)
	if r != driver.Success {
		return r
	}
	d.fault.ptr, d.fault.copy, d.fault.flag = uint64(p), host[:faultBytes:faultBytes], host[faultBytes:]
	binary.LittleEndian.PutUint64(d.fault.copy[clearedBytes:], uint64(seen)+faultBytes)
	return d.api.MemcpyHtoDAsync(d.ctx, p, d.fault.copy, d.streams[compute])
}

// checkFault returns what a kernel reported. The device's work must be done. A zero divisor is told once; everything else is
// a device-side assert, as in PyTorch, and ends the device.
func (d *Device) checkFault() error {
	f := &d.fault
	f.mu.Lock()
	defer f.mu.Unlock()
	if binary.LittleEndian.Uint32(f.flag) == 0 {
		return nil
	}
	if r := d.copyToHost(compute, toPinned, f.copy, driver.Ptr(f.ptr)); r != driver.Success {
		return d.fail(r)
	}
	if r := d.api.StreamSynchronize(d.ctx, d.streams[compute]); r != driver.Success {
		return d.fail(r)
	}
	code := kernels.FaultCode(binary.LittleEndian.Uint32(f.copy))
	tag := binary.LittleEndian.Uint32(f.copy[4:])
	index := int64(binary.LittleEndian.Uint64(f.copy[8:]))
	extent := int64(binary.LittleEndian.Uint64(f.copy[16:]))
	at := int64(binary.LittleEndian.Uint64(f.copy[24:]))
	o := op.Op(tag)
	if code == kernels.DivisorFault {
		clear(f.flag)
		if err := d.zero(f.ptr, clearedBytes); err != nil {
			return err
		}
		return pyError("ZeroDivisionError")
	}
	e := &Error{Device: d.index, Result: driver.ErrAssert, Detail: faultText(code, o, index, extent, at)}
	d.failure.CompareAndSwap(nil, e)
	return d.failure.Load()
}

func faultText(code kernels.FaultCode, o op.Op, index, extent, at int64) string {
	switch code {
	case kernels.IndexFault:
		return fmt.Sprintf("%s: index %d at position %d is out of bounds for %d rows", o, index, at, extent)
	case kernels.TargetFault:
		return fmt.Sprintf("%s: target %d at position %d is out of bounds for %d classes", o, index, at, extent)
	case kernels.ProbabilityFault:
		return fmt.Sprintf("%s: the probability at position %d is outside of [0, 1]", o, at)
	}
	return fmt.Sprintf("%s: fault %d at position %d", o, code, at)
}
