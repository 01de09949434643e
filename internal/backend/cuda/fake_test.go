package cuda

import (
	"reflect"
	"sync/atomic"
	"testing"

	"cresset/internal/driver"
)

// fakeDriver is a table of functions that do next to nothing, for two GPUs.
type fakeDriver struct {
	api      driver.API
	memory   atomic.Uint64
	launches int
	result   driver.Result    // of launches
	waited   driver.Result    // of waiting
	fault    [faultBytes]byte // in the memory of the device
	flag     []byte
	copied   []byte
	peers    int
}

func newFakeDriver() *fakeDriver {
	f := &fakeDriver{}
	ok := driver.Success
	f.api = driver.API{
		Library:          "fake",
		Simulated:        true,
		Init:             func(uint32) driver.Result { return ok },
		DriverGetVersion: func() (int32, driver.Result) { return 12000, ok },
		DeviceGetCount:   func() (int32, driver.Result) { return 2, ok },
		DeviceGet:        func(i int32) (driver.Device, driver.Result) { return driver.Device(i), ok },
		DeviceGetName:    func(driver.Device) (string, driver.Result) { return "Fake GPU", ok },
		DeviceGetUUID:    func(driver.Device) (driver.UUID, driver.Result) { return driver.UUID{0xab}, ok },
		DeviceTotalMem:   func(driver.Device) (uint64, driver.Result) { return 1 << 32, ok },
		DeviceGetAttribute: func(a driver.Attribute, _ driver.Device) (int32, driver.Result) {
			switch a {
			case driver.MultiprocessorCount:
				return 20, ok
			case driver.MaxThreadsPerSM:
				return 2048, ok
			}
			return 8, ok
		},
		DeviceGetPCIBusID:       func(driver.Device) (string, driver.Result) { return "00000000:01:00.0", ok },
		DeviceCanAccessPeer:     func(a, b driver.Device) (int32, driver.Result) { return 1, ok },
		DevicePrimaryCtxRetain:  func(d driver.Device) (driver.Context, driver.Result) { return driver.Context(d) + 1, ok },
		CtxSynchronize:          func(driver.Context) driver.Result { return f.waited },
		CtxEnablePeerAccess:     func(a, b driver.Context, _ uint32) driver.Result { f.peers++; return ok },
		StreamCreate:            func(driver.Context, uint32, int32) (driver.Stream, driver.Result) { return 1, ok },
		StreamSynchronize:       func(driver.Context, driver.Stream) driver.Result { return f.waited },
		StreamWaitEvent:         func(driver.Context, driver.Stream, driver.Event, uint32) driver.Result { return ok },
		EventCreate:             func(driver.Context, uint32) (driver.Event, driver.Result) { return 1, ok },
		EventRecord:             func(driver.Context, driver.Event, driver.Stream) driver.Result { return ok },
		EventQuery:              func(driver.Context, driver.Event) driver.Result { return ok },
		EventSynchronize:        func(driver.Context, driver.Event) driver.Result { return ok },
		MemGetInfo:              func(driver.Context) (free, total uint64, r driver.Result) { return 1 << 31, 1 << 32, ok },
		MemFree:                 func(driver.Context, driver.Ptr) driver.Result { return ok },
		MemHostGetDevicePointer: func(driver.Context, []byte, uint32) (driver.Ptr, driver.Result) { return 1, ok },
		MemsetD8Async:           func(driver.Context, driver.Ptr, uint8, uint64, driver.Stream) driver.Result { return ok },
		ModuleLoadData:          func(driver.Context, []byte, *driver.JIT) (driver.Module, driver.Result) { return 1, ok },
		ModuleGetFunction:       func(driver.Context, driver.Module, string) (driver.Function, driver.Result) { return 1, ok },
	}
	f.api.MemAlloc = func(_ driver.Context, bytes uint64) (driver.Ptr, driver.Result) {
		return driver.Ptr(f.memory.Add(bytes+1<<20) - bytes), ok
	}
	f.api.MemHostAlloc = func(_ driver.Context, bytes uint64, _ uint32) ([]byte, driver.Result) {
		b := make([]byte, bytes)
		if bytes == faultBytes+8 {
			f.flag = b[faultBytes:]
		}
		return b, ok
	}
	f.api.MemcpyHtoDAsync = func(_ driver.Context, _ driver.Ptr, src []byte, _ driver.Stream) driver.Result {
		f.copied = append(f.copied[:0], src...)
		return ok
	}
	f.api.MemcpyDtoHAsync = func(_ driver.Context, dst []byte, _ driver.Ptr, _ driver.Stream) driver.Result {
		if len(dst) == faultBytes {
			copy(dst, f.fault[:])
			return ok
		}
		copy(dst, f.copied)
		return ok
	}
	f.api.MemcpyPeerAsync = func(driver.Context, driver.Ptr, driver.Context, driver.Ptr, driver.Context, uint64, driver.Stream) driver.Result {
		return ok
	}
	f.api.LaunchKernel = func(driver.Context, driver.Function, driver.Dim, driver.Dim, uint32, driver.Stream, []byte) driver.Result {
		f.launches++
		return f.result
	}
	fillMissing(&f.api)
	return f
}

// fillMissing gives the functions that no test looks at something to return.
func fillMissing(api *driver.API) {
	v := reflect.ValueOf(api).Elem()
	for i := range v.NumField() {
		field := v.Field(i)
		if field.Kind() != reflect.Func || !field.IsNil() || v.Type().Field(i).Name == "Explain" {
			continue
		}
		results := make([]reflect.Value, field.Type().NumOut())
		for k := range results {
			results[k] = reflect.Zero(field.Type().Out(k))
		}
		field.Set(reflect.MakeFunc(field.Type(), func([]reflect.Value) []reflect.Value { return results }))
	}
}

// machine returns the machine of the fake driver.
func (f *fakeDriver) machine() *machine {
	return &machine{open: func() (*driver.API, error) { return &f.api, nil }}
}

// device returns the fake driver's first GPU, ready for work.
func (f *fakeDriver) device(t testing.TB) *Device {
	t.Helper()
	d, err := f.machine().at(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
