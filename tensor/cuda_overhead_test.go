package tensor_test

import (
	"reflect"
	"sync/atomic"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/driver"
	"cresset/internal/race"
	"cresset/tensor"
)

// idleDriver is a table of functions that do nothing, so that what remains of an op is our own.
func idleDriver() *driver.API {
	api := new(driver.API)
	var memory atomic.Uint64
	one := func(t reflect.Type) reflect.Value { // counts, handles and addresses are 1, results are driver.Success
		v := reflect.New(t).Elem()
		switch {
		case t == reflect.TypeFor[driver.Result]():
		case v.CanInt():
			v.SetInt(1)
		case v.CanUint():
			v.SetUint(1)
		}
		return v
	}
	fields := reflect.ValueOf(api).Elem()
	for i := range fields.NumField() {
		f := fields.Field(i)
		if f.Kind() != reflect.Func || fields.Type().Field(i).Name == "Explain" {
			continue
		}
		results := make([]reflect.Value, f.Type().NumOut())
		for k := range results {
			results[k] = one(f.Type().Out(k))
		}
		f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value { return results }))
	}
	api.DriverGetVersion = func() (int32, driver.Result) { return 12000, driver.Success }
	api.DeviceGetAttribute = func(driver.Attribute, driver.Device) (int32, driver.Result) { return 1024, driver.Success }
	api.MemAlloc = func(_ driver.Context, n uint64) (driver.Ptr, driver.Result) {
		return driver.Ptr(memory.Add(n + 1<<20)), driver.Success
	}
	api.MemHostAlloc = func(_ driver.Context, n uint64, _ uint32) ([]byte, driver.Result) {
		return make([]byte, n), driver.Success
	}
	api.LaunchKernel = func(driver.Context, driver.Function, driver.Dim, driver.Dim, uint32, driver.Stream, []byte) driver.Result {
		return driver.Success
	}
	return api
}

// gpuOps are eager ops on four elements of an idle GPU.
func gpuOps(t testing.TB) map[string]func() {
	tensor.LendGPUs(t, idleDriver())
	place := tensor.On(device.CUDA(0))
	x, y, m := place.Empty(4), place.Empty(4), place.Empty(2, 2)
	wide := place.Empty(2, 4).T()
	row, number := place.Empty(2), tensor.Of(2.0).To(dtype.Float32)
	axes := []int{0}
	return map[string]func(){
		"add broadcast":     func() { m.Add(row).Release() },
		"add cpu number":    func() { x.Add(number).Release() },
		"sum axes":          func() { m.SumAxes(axes).Release() },
		"add":               func() { x.Add(y).Release() },
		"add scalar":        func() { x.AddScalar(2).Release() },
		"add in place":      func() { x.AddInPlace(y) },
		"exp":               func() { x.Exp().Release() },
		"mm":                func() { m.MM(m).Release() },
		"sum":               func() { x.Sum().Release() },
		"softmax":           func() { m.Softmax(1).Release() },
		"add of transposed": func() { wide.Add(wide).Release() },
	}
}

func TestGPUOpsAllocateLittle(t *testing.T) {
	for name, f := range gpuOps(t) {
		if got := testing.AllocsPerRun(200, f); got > 4 && !race.Enabled && !tensor.Poisons {
			t.Errorf("%s makes %v allocations, want at most 4", name, got)
		}
	}
}

// BenchmarkGPUOverhead times our own part of eager ops on a GPU; it should stay below 1 us.
func BenchmarkGPUOverhead(b *testing.B) {
	for name, f := range gpuOps(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
