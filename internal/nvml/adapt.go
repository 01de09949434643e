package nvml

import "fmt"

// symbol is a function of the library.
type symbol struct {
	name string
	fn   uintptr
}

// adapt sets a field of the table to a Go function around the symbols that the library has for it, of which there is one at
// least. The fields' types tell the adapters apart.
func adapt(field any, found []symbol) {
	fn := found[0].fn
	switch f := field.(type) {
	case *func() Return:
		*f = func() Return { return call(fn) }
	case *func(Return) string:
		*f = errorString(fn)
	case *func() (string, Return):
		*f = func() (string, Return) { return text(fn, textBytes) }
	case *func(uint32) (string, Return):
		*f = func(pid uint32) (string, Return) { return text(fn, pathBytes, uintptr(pid)) }
	case *func() (int32, Return):
		*f = func() (int32, Return) { return out[int32](fn) }
	case *func() (uint32, Return):
		*f = func() (uint32, Return) { return out[uint32](fn) }
	case *func(uint32) (Device, Return):
		*f = func(index uint32) (Device, Return) { return out[Device](fn, uintptr(index)) }
	case *func(string) (Device, Return):
		*f = func(name string) (Device, Return) { return byName(fn, name) }
	default:
		adaptDevice(field, found)
	}
}

// adaptDevice is adapt for calls about one device.
func adaptDevice(field any, found []symbol) {
	fn := found[0].fn
	switch f := field.(type) {
	case *func(Device) (string, Return):
		*f = func(dev Device) (string, Return) { return text(fn, textBytes, uintptr(dev)) }
	case *func(Device) (uint32, Return):
		*f = out1[uint32](fn)
	case *func(Device) (uint64, Return):
		*f = out1[uint64](fn)
	case *func(Device) (PState, Return):
		*f = out1[PState](fn)
	case *func(Device) (ComputeMode, Return):
		*f = out1[ComputeMode](fn)
	case *func(Device) (bool, Return):
		*f = enabled(fn)
	case *func(Device) (bool, bool, Return):
		*f = enabledPair(fn)
	case *func(Device) (int32, int32, Return):
		*f = func(dev Device) (int32, int32, Return) {
			major, minor, r := pair(fn, dev)
			return int32(major), int32(minor), r
		}
	case *func(Device) (uint32, uint32, Return):
		*f = func(dev Device) (uint32, uint32, Return) { return pair(fn, dev) }
	case *func(Device) (PCI, Return):
		*f = newest(found, pciInfo)
	case *func(Device) (Memory, Return):
		*f = newest(found, memoryInfo)
	case *func(Device) (int32, Return):
		*f = newest(found, temperature)
	case *func(Device) ([]Process, Return):
		*f = newest(found, processes)
	case *func(Device) (BAR1, Return):
		*f = func(dev Device) (BAR1, Return) { return bar1(fn, dev) }
	case *func(Device) (Attributes, Return):
		*f = func(dev Device) (Attributes, Return) { return attributes(fn, dev) }
	case *func(Device) (RemappedRows, Return):
		*f = func(dev Device) (RemappedRows, Return) { return remappedRows(fn, dev) }
	case *func(Device) (Utilization, Return):
		*f = func(dev Device) (Utilization, Return) { return utilization(fn, dev) }
	default:
		adaptMore(field, found)
	}
}

// adaptMore is adapt for calls with more arguments than a device.
func adaptMore(field any, found []symbol) {
	fn := found[0].fn
	switch f := field.(type) {
	case *func(Device, Threshold) (uint32, Return):
		*f = out2[uint32, Threshold](fn)
	case *func(Device, Clock) (uint32, Return):
		*f = out2[uint32, Clock](fn)
	case *func(Device, Throughput) (uint32, Return):
		*f = out2[uint32, Throughput](fn)
	case *func(Device, uint32) (Device, Return):
		*f = out2[Device, uint32](fn)
	case *func(Device, uint32) (uint32, Return):
		*f = fanSpeed(found)
	case *func(Device, ECCError, ECCCounter) (uint64, Return):
		*f = func(dev Device, kind ECCError, span ECCCounter) (uint64, Return) {
			return out[uint64](fn, uintptr(dev), uintptr(kind), uintptr(span))
		}
	case *func(Device, ECCError, ECCCounter, ECCPlace) (uint64, Return):
		*f = func(dev Device, kind ECCError, span ECCCounter, place ECCPlace) (uint64, Return) {
			return out[uint64](fn, uintptr(dev), uintptr(kind), uintptr(span), uintptr(place))
		}
	case *func(Device, Retirement) (int, Return):
		*f = func(dev Device, why Retirement) (int, Return) { return retiredPages(fn, dev, why) }
	default:
		panic(fmt.Sprintf("nvml: no adapter for %T", field))
	}
}
