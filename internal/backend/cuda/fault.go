package cuda

import (
	"encoding/binary"
	"fmt"
	"sync"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/op"
)

// faultWord is where kernels report what is wrong with their data: host memory that the device sees. It is a kernels.Fault.
type faultWord struct {
	mu    sync.Mutex
	bytes []byte
	ptr   uint64 // on the device
}

const faultBytes = 32

func (d *Device) openFault() error {
	b, r := d.api.MemHostAlloc(d.ctx, faultBytes, driver.HostMapped|driver.HostPortable)
	if r != driver.Success {
		return d.fail(r)
	}
	clear(b)
	p, r := d.api.MemHostGetDevicePointer(d.ctx, b, 0)
	if r != driver.Success {
		return d.fail(r)
	}
	d.fault.bytes, d.fault.ptr = b, uint64(p)
	return nil
}

// checkFault returns what a kernel reported. The device's work must be done. A zero divisor is told once; everything else is
// a device-side assert, as in PyTorch, and ends the device.
func (d *Device) checkFault() error {
	f := &d.fault
	f.mu.Lock()
	defer f.mu.Unlock()
	code := kernels.FaultCode(binary.LittleEndian.Uint32(f.bytes))
	if code == kernels.NoFault {
		return nil
	}
	tag := binary.LittleEndian.Uint32(f.bytes[4:])
	index := int64(binary.LittleEndian.Uint64(f.bytes[8:]))
	extent := int64(binary.LittleEndian.Uint64(f.bytes[16:]))
	at := int64(binary.LittleEndian.Uint64(f.bytes[24:]))
	o := op.Op(tag)
	if code == kernels.DivisorFault {
		clear(f.bytes)
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
