package cuda

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/dl"
	"cresset/internal/dl/dltest"
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/op"
)

// variants are kernels, best first, that stand for one with a module for each target.
var variants = []struct {
	kernel string
	target kernels.Target
}{
	{"add_f32", kernels.Target{Capability: 100, Family: true, PTX: 88}},
	{"sub_f32", kernels.Target{Capability: 90, Exact: true, PTX: 80}},
	{"mul_f32", kernels.Target{Capability: 90, PTX: 80}},
	{"div_f32", kernels.Target{Capability: 80, PTX: 74}},
	{"neg_f32", kernels.Target{Capability: 75, PTX: 70}},
	{"abs_f32", kernels.Target{Capability: 60, PTX: 70}},
}

// ids are the variants' numbers, best first.
func ids() (all []kernelID) {
	for _, v := range variants {
		all = append(all, kernel(v.kernel))
	}
	return all
}

// first chooses as launchers do: the first variant that the device takes, unless the driver refuses it as it is loaded.
func first(d *Device) kernelID {
	all := ids()
	last := len(all) - 1
	for _, k := range all[:last] {
		if !d.takes(k) {
			continue
		}
		if _, err := d.function(k); err == nil || !d.refuse(err) {
			return k
		}
	}
	return all[last]
}

// nameOf is what a choice is called in tests: sm_90a.
func nameOf(k kernelID) string {
	for _, v := range variants {
		if v.kernel == kernelNames[k] {
			return strings.Fields(v.target.String())[0]
		}
	}
	return kernelNames[k]
}

// ofVariants has a module for each variant, which holds its kernel alone.
var ofVariants = catalog{
	moduleOf: func(kernel string) (string, bool) { return "module_" + kernel, true },
	targetOf: func(kernel string) (kernels.Target, bool) {
		for _, v := range variants {
			if v.kernel == kernel {
				return v.target, true
			}
		}
		return kernels.Target{}, false
	},
	text: func(module string) ([]byte, error) {
		for _, v := range variants {
			if "module_"+v.kernel == module {
				return fmt.Appendf(nil, ".version %d.%d\n.target %s\n.address_size 64\n.visible .entry %s()\n{\n\tret;\n}\n",
					v.target.PTX/10, v.target.PTX%10, strings.Fields(v.target.String())[0], v.kernel), nil
			}
		}
		return nil, fmt.Errorf("no module %s", module)
	},
}

// withVariants returns a simulated GPU of a preset under a driver for a version of CUDA.
func withVariants(t *testing.T, preset string, cuda int32) (*Device, *sim.Driver) {
	t.Helper()
	m, err := hardware.Preset(preset, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.CUDA = cuda
	s := sim.New(m, sim.Options{LookupEnv: func(string) (string, bool) { return "", false }})
	d, err := (&machine{open: func() (*driver.API, error) { return s.API, nil }}).at(0)
	if err != nil {
		t.Fatal(err)
	}
	d.modules.catalog = ofVariants
	return d, s
}

// TestVariants: each GPU is given the best code that it and its driver take, and the driver takes it.
func TestVariants(t *testing.T) {
	for _, tc := range []struct {
		preset string
		cuda   int32
		want   string
	}{
		{"gtx1070", 11000, "sm_60"}, {"gtx1070", 13000, "sm_60"},
		{"t4", 11000, "sm_75"}, {"t4", 12040, "sm_75"},
		{"a100", 11000, "sm_75"}, {"a100", 11030, "sm_75"}, {"a100", 11040, "sm_80"}, {"a100", 13000, "sm_80"},
		{"rtx4090", 11080, "sm_80"}, {"rtx4090", 12040, "sm_80"},
		{"h100", 11080, "sm_80"}, {"h100", 12000, "sm_90a"}, {"h200", 13000, "sm_90a"},
		{"b200", 12080, "sm_90"}, {"b200", 12090, "sm_100f"},
		{"rtx5090", 12080, "sm_90"}, {"rtx5090", 13000, "sm_90"},
	} {
		d, _ := withVariants(t, tc.preset, tc.cuda)
		if got := nameOf(first(d)); got != tc.want {
			t.Errorf("%s, CUDA %d: got %s, want %s", tc.preset, tc.cuda, got, tc.want)
		}
		if refused := d.Refused(); len(refused) > 0 {
			t.Errorf("%s, CUDA %d: the driver refused %v", tc.preset, tc.cuda, refused)
		}
		for _, v := range variants {
			k := kernel(v.kernel)
			_, err := d.function(k)
			if d.takes(k) != (err == nil) {
				t.Errorf("%s, CUDA %d, %v: takes is %t, the driver says %v", tc.preset, tc.cuda, v.target, d.takes(k), err)
			}
		}
	}
}

// TestVariantsThatAreRefused: code that the driver does not take, though it should, gives way to the next, once and for all. What
// may pass, such as a shortage of memory, does not count.
func TestVariantsThatAreRefused(t *testing.T) {
	d, s := withVariants(t, "h200", 13000)
	spy := dltest.Watch(dl.Table{Struct: s.API, Key: "cu"})
	for _, r := range []driver.Result{driver.ErrUnsupportedPTXVersion, driver.ErrInvalidPTX} {
		spy.Fail("cuModuleLoadData*", 0, r)
	}
	for range 2 {
		if got := nameOf(first(d)); got != "sm_80" {
			t.Errorf("got %s", got)
		}
	}
	if got := spy.Calls("cuModuleLoadDataEx"); got != 3 {
		t.Errorf("%d modules loaded", got)
	}
	if d.takes(kernel("sub_f32")) || d.takes(kernel("mul_f32")) || !d.takes(kernel("div_f32")) {
		t.Error("what was refused is taken, or what was taken is not")
	}
	refused := d.Refused()
	if len(refused) != 2 || refused[0].Module != "module_sub_f32" || !strings.Contains(refused[0].Reason, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION") {
		t.Errorf("got %v", refused)
	}

	d, s = withVariants(t, "h200", 13000)
	dltest.Watch(dl.Table{Struct: s.API, Key: "cu"}).Fail("cuModuleLoadData*", 0, driver.ErrInvalidValue)
	if got := nameOf(first(d)); got != "sm_90a" || len(d.Refused()) > 0 {
		t.Errorf("after another failure: got %s, refused %v", got, d.Refused())
	}
}

// TestMetaTakesTheNewest: a plan's device is like a large GPU of capability 9.0.
func TestMetaTakesTheNewest(t *testing.T) {
	m, closeMeta, err := NewMeta()
	if err != nil {
		t.Fatal(err)
	}
	defer closeMeta()
	m.modules.catalog = ofVariants
	if got := nameOf(first(m.Device)); got != "sm_90a" || !m.takes(kernel("abs_f32")) {
		t.Errorf("got %s", got)
	}
}

// TestShapedLaunches: shared memory is asked for once for each kernel and again for more, and a cluster takes the other call.
func TestShapedLaunches(t *testing.T) {
	f := newFakeDriver()
	var allowed []int32
	f.api.FuncSetAttribute = func(_ driver.Context, _ driver.Function, a driver.FuncAttribute, value int32) driver.Result {
		allowed = append(allowed, int32(a), value)
		return driver.Success
	}
	var shared []uint32
	f.api.LaunchKernel = func(_ driver.Context, _ driver.Function, _, _ driver.Dim, n uint32, _ driver.Stream, _ []byte) driver.Result {
		shared = append(shared, n)
		return driver.Success
	}
	var shapes []driver.Launch
	f.api.LaunchKernelEx = func(_ driver.Context, _ driver.Function, l *driver.Launch, _ driver.Stream, _ []byte) driver.Result {
		shapes = append(shapes, *l)
		return driver.Success
	}
	d, k := f.device(t), kernel("add_f32")
	var params struct{}
	g := kernels.Grid{Blocks: [3]uint32{16, 1, 1}, Threads: [3]uint32{128, 1, 1}}
	for _, n := range []uint32{0, 1 << 10, 100 << 10, 50 << 10, 101 << 10} {
		g.Shared = n
		if err := launch(d, k, g, &params); err != nil {
			t.Fatal(err)
		}
	}
	g.Cluster = [3]uint32{2, 1, 1}
	if err := launch(d, k, g, &params); err != nil {
		t.Fatal(err)
	}
	if want := []int32{8, 1 << 10, 8, 100 << 10, 8, 101 << 10}; !slices.Equal(allowed, want) {
		t.Errorf("attributes %v, want %v", allowed, want)
	}
	if want := []uint32{0, 1 << 10, 100 << 10, 50 << 10, 101 << 10}; !slices.Equal(shared, want) {
		t.Errorf("shared memory %v, want %v", shared, want)
	}
	if len(shapes) != 1 || shapes[0].Cluster != (driver.Dim{X: 2, Y: 1, Z: 1}) || shapes[0].Shared != 101<<10 || shapes[0].Grid.X != 16 || shapes[0].Block.X != 128 {
		t.Errorf("launches with a cluster: %+v", shapes)
	}
	g.Programmatic = true
	if err := launch(d, k, g, &params); err != nil || len(shapes) != 2 || shapes[0].Programmatic || !shapes[1].Programmatic {
		t.Errorf("a launch that may start early: %+v, %v", shapes, err)
	}
	f.api.LaunchKernelEx = nil
	if err := launch(d, k, g, &params); err == nil {
		t.Error("a driver without clusters launched one")
	}
}

// TestTensorMapsOfDevices: an operand that the TMA cannot read has none.
func TestTensorMapsOfDevices(t *testing.T) {
	old, _ := withVariants(t, "h100", 12030)
	d, _ := withVariants(t, "h100", 12040)
	for pitch, want := range map[uint64]bool{256: true, 264: false} {
		x := tile{address: 0x100, extents: []uint64{128, 64}, strides: []uint64{pitch}, box: []uint32{16, 32}, swizzle: driver.Swizzle64}
		x.dtype = dtype.Float32
		if _, ok := d.encode(&x); ok != want {
			t.Errorf("a pitch of %d bytes: got %t", pitch, ok)
		}
		if _, ok := old.encode(&x); ok {
			t.Error("a driver without tensor maps encodes one")
		}
	}
}

// TestTensorMapsAreEncodedOnce: the driver is asked again for what differs in anything, and for what has long been forgotten.
func TestTensorMapsAreEncodedOnce(t *testing.T) {
	d, s := withVariants(t, "h100", 12040)
	spy := dltest.Watch(dl.Table{Struct: s.API, Key: "cu"})
	asked := 0
	for _, c := range []struct {
		change func(x *tile)
		again  bool
	}{
		{func(*tile) {}, true}, {func(*tile) {}, false},
		{func(x *tile) { x.address += 16 }, true}, {func(x *tile) { x.extents[0]++ }, true}, {func(x *tile) { x.strides[0] += 16 }, true},
		{func(x *tile) { x.box[1]++ }, true}, {func(x *tile) { x.dtype = dtype.Float16 }, true}, {func(x *tile) { x.swizzle = driver.Swizzle128 }, true},
		{func(x *tile) { x.strides[0]++ }, true}, {func(*tile) {}, false},
	} {
		x := tile{dtype: dtype.BFloat16, address: 0x100, extents: []uint64{128, 64}, strides: []uint64{256}, box: []uint32{16, 32}, swizzle: driver.Swizzle64}
		c.change(&x)
		if c.again {
			asked++
		}
		d.encode(&x)
		if got := spy.Calls("cuTensorMapEncodeTiled"); got != asked {
			t.Errorf("the driver was asked %d times, want %d", got, asked)
		}
	}
	x := tile{dtype: dtype.BFloat16, extents: []uint64{128, 64}, strides: []uint64{256}, box: []uint32{16, 32}}
	for range 2 * mostKept {
		x.address += 16
		d.encode(&x)
	}
	if n := len(d.maps.kept); n > mostKept {
		t.Errorf("%d maps are kept, want at most %d", n, mostKept)
	}
	if n := testing.AllocsPerRun(10, func() { d.encode(&x) }); n != 0 {
		t.Errorf("a map that is known takes %v allocations", n)
	}
}

// TestRunPassesOverRefusedVariants: a launcher that asks what the device takes is asked again when the driver refuses its choice. What runs
// everywhere has no other, and its failure is the call's.
func TestRunPassesOverRefusedVariants(t *testing.T) {
	d, s := withVariants(t, "h200", 13000)
	var tried []string
	launches := func(d *Device, _ *backend.Call, _ kernelID) error {
		for _, k := range ids() {
			if !d.takes(k) {
				continue
			}
			tried = append(tried, nameOf(k))
			_, err := d.function(k)
			return err
		}
		return nil
	}
	saved := rows[op.Add][dtype.Bool]
	defer func() { rows[op.Add][dtype.Bool] = saved }()
	rows[op.Add][dtype.Bool] = row{launch: launches}
	c := backend.NewCall(op.Add, dtype.Bool)
	defer c.Release()

	spy := dltest.Watch(dl.Table{Struct: s.API, Key: "cu"})
	spy.Fail("cuModuleLoadData*", 0, driver.ErrUnsupportedPTXVersion)
	spy.Fail("cuModuleLoadData*", 0, driver.ErrInvalidPTX)
	if err := d.Run(c); err != nil || !slices.Equal(tried, []string{"sm_90a", "sm_90", "sm_80"}) || len(d.Refused()) != 2 {
		t.Errorf("tried %v, refused %v, %v", tried, d.Refused(), err)
	}
	old, s := withVariants(t, "gtx1070", 11000)
	dltest.Watch(dl.Table{Struct: s.API, Key: "cu"}).Fail("cuModuleLoadData*", 0, driver.ErrInvalidPTX)
	if err := old.Run(c); !errors.Is(err, driver.ErrInvalidPTX) || len(old.Refused()) != 0 {
		t.Errorf("what runs everywhere: %v, refused %v", err, old.Refused())
	}
	if err := old.Run(c); err != nil {
		t.Errorf("the next call: %v", err)
	}
}
