package cuda_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/tensor"
)

func TestQueries(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=2") {
		return
	}
	if !cuda.IsAvailable() || cuda.DeviceCount() != 2 {
		t.Fatalf("available %v, %d devices", cuda.IsAvailable(), cuda.DeviceCount())
	}
	name, err := cuda.DeviceName(1)
	if err != nil || !strings.HasSuffix(name, " (simulated)") {
		t.Errorf("name %q, %v", name, err)
	}
	if major, _, err := cuda.DeviceCapability(0); err != nil || major < 6 {
		t.Errorf("capability %d, %v", major, err)
	}
	p, err := cuda.DeviceProperties(0)
	if err != nil || !strings.HasPrefix(p.String(), "_CudaDeviceProperties(name='"+p.Name+"', major=") {
		t.Errorf("properties %v, %v", p, err)
	}
	if free, total, err := cuda.MemInfo(0); err != nil || free <= 0 || free > total || total != p.TotalMemory {
		t.Errorf("%d of %d bytes are free, %v", free, total, err)
	}
	major, minor, err := cuda.DeviceCapability()
	current, errCurrent := cuda.DeviceProperties()
	if name, err := cuda.DeviceName(); err != nil || name != current.Name {
		t.Errorf("the current GPU's name is %q, %v, want %q", name, err, current.Name)
	}
	if err != nil || errCurrent != nil || major != current.Major || minor != current.Minor || current != p {
		t.Errorf("the current GPU is %v of %d.%d, %v, %v", current, major, minor, err, errCurrent)
	}
	for _, index := range []int{-1, 2} {
		if _, err := cuda.DeviceName(index); err == nil || err.Error() != "Invalid device id" {
			t.Errorf("%d: %v", index, err)
		}
	}
	if _, err := cuda.CanDeviceAccessPeer(0, 7); err == nil || err.Error() != "Invalid peer device id" {
		t.Errorf("peer: %v", err)
	}
	if err := cuda.SetDevice(5); err == nil || !strings.HasPrefix(err.Error(), "CUDA error: invalid device ordinal\n") {
		t.Errorf("SetDevice: %v", err)
	}
	if err := cuda.SetDevice(-1); err != nil {
		t.Errorf("SetDevice(-1): %v", err)
	}
	if got := cuda.TryGPU(10); got != device.CPU {
		t.Errorf("TryGPU(10) is %s", got)
	}
	if got := cuda.TryAllGPUs(); !slices.Equal(got, []device.Device{device.CUDA(0), device.CUDA(1)}) {
		t.Errorf("TryAllGPUs is %v", got)
	}
	if err := cuda.Synchronize(); err != nil {
		t.Errorf("Synchronize: %v", err)
	}
}

func TestRNGStateAll(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=2") {
		return
	}
	if states := cuda.RNGStateAll(); states != nil {
		t.Errorf("before a GPU was used: %v", states)
	}
	cuda.ManualSeedAll(7)
	draw := func(i int) []float32 { return tensor.Values[float32](tensor.On(device.CUDA(i)).Rand(3)) }
	draw(1)
	states := cuda.RNGStateAll()
	first, second := draw(0), draw(1)
	if slices.Equal(first, second) {
		t.Errorf("both GPUs draw %v", first)
	}
	cuda.ManualSeedAll(8)
	if err := cuda.SetRNGStateAll(append(states, []byte("of a GPU that is not there"))); err != nil {
		t.Fatal(err)
	}
	if a, b := draw(0), draw(1); !slices.Equal(a, first) || !slices.Equal(b, second) {
		t.Errorf("drew %v and %v, want %v and %v", a, b, first, second)
	}
	if err := cuda.SetRNGStateAll([][]byte{{1}}); err == nil || err.Error() != "RNG state is wrong size" {
		t.Errorf("a state of one byte: %v", err)
	}
}

func TestWithoutGPUs(t *testing.T) {
	if !fresh(t, "CUDA_VISIBLE_DEVICES=", "CRESSET_SIM=1") {
		return
	}
	if cuda.IsAvailable() || cuda.DeviceCount() != 0 {
		t.Errorf("available %v, %d devices", cuda.IsAvailable(), cuda.DeviceCount())
	}
	cuda.ManualSeed(1)
	cuda.ManualSeedAll(1)
	if cuda.MemoryAllocated() != 0 || cuda.MaxMemoryAllocated(3) != 0 || cuda.MemoryReserved() != 0 || len(cuda.MemoryStats()) != 0 {
		t.Error("memory is counted")
	}
	if err := cuda.EmptyCache(); err != nil {
		t.Errorf("EmptyCache: %v", err)
	}
	if cuda.TryGPU(0) != device.CPU || !slices.Equal(cuda.TryAllGPUs(), []device.Device{device.CPU}) {
		t.Error("TryGPU and TryAllGPUs do not fall back to the CPU")
	}
	const want = "No CUDA GPUs are available"
	_, current := cuda.CurrentDevice()
	_, name := cuda.DeviceName(0)
	_, _, info := cuda.MemInfo(0)
	creation := tensor.Try(func() { tensor.On(device.CUDA(0)).Ones(1) })
	for i, err := range []error{current, name, info, creation, cuda.Synchronize(), cuda.SetDevice(0), tensor.Try(func() { tensor.Ones(1).CUDA() })} {
		if err == nil || err.Error() != want {
			t.Errorf("question %d: %v, want %s", i, err, want)
		}
	}
	if got := tensor.Ones(2).Sum().Float64(); got != 2 {
		t.Errorf("the CPU computes %v", got)
	}
}

func TestVisibleDevices(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=4", "CUDA_VISIBLE_DEVICES=0,1,2") {
		return
	}
	if err := cuda.DefaultVisibleDevices("3"); err != nil || os.Getenv("CUDA_VISIBLE_DEVICES") != "0,1,2" {
		t.Errorf("the inherited value became %q, %v", os.Getenv("CUDA_VISIBLE_DEVICES"), err)
	}
	if err := cuda.SetVisibleDevices("3,1"); err != nil {
		t.Fatal(err)
	}
	if got := cuda.DeviceCount(); got != 2 {
		t.Errorf("%d devices, want 2", got)
	}
	for _, set := range []func(string) error{cuda.SetVisibleDevices, cuda.DefaultVisibleDevices} {
		if err := set("0"); err == nil {
			t.Error("the visible devices changed after the first use")
		}
	}
}

// TestVisibleDevicesStayAfterALook: a process that found no GPU has used the list.
func TestVisibleDevicesStayAfterALook(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=2", "CUDA_VISIBLE_DEVICES=") {
		return
	}
	if cuda.IsAvailable() {
		t.Error("a hidden GPU is available")
	}
	if err := cuda.SetVisibleDevices("0"); err == nil {
		t.Error("the visible devices changed after a look that found none")
	}
}

// TestDeviceSideAssert uses an index that is out of range.
func TestDeviceSideAssert(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=2") {
		return
	}
	table := tensor.On(device.CUDA(0)).Ones(4, 2)
	y := tensor.Embedding(table, tensor.Of([]int{1, 9}).CUDA(0)) // returns at once
	want := "CUDA error: device-side assert triggered\n" +
		"CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n" +
		"For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n" +
		"Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
	for range 3 {
		err := tensor.Try(func() { y.CPU() })
		var e *tensor.Error
		if !errors.As(err, &e) || err.Error() != want || !errors.Is(err, tensor.ErrDevice) {
			t.Fatalf("got %v", err)
		}
		if hint := e.Hint(); !strings.Contains(hint, "embedding") || !strings.Contains(hint, "index 9") {
			t.Errorf("the hint %q names neither op nor index", hint)
		}
	}
	if err := tensor.Try(func() { table.AddScalar(1) }); err == nil || err.Error() != want {
		t.Errorf("another op: %v", err)
	}
	if err := cuda.EmptyCache(); err == nil || err.Error() != want {
		t.Errorf("EmptyCache: %v", err)
	}
	if _, _, err := cuda.MemInfo(0); err == nil || err.Error() != want {
		t.Errorf("MemInfo: %v", err)
	}
	if got := tensor.On(device.CUDA(1)).Ones(2).Sum().Float64(); got != 2 {
		t.Errorf("the other GPU computes %v", got)
	}
}

func TestLaunchBlockingNamesTheOp(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=1", "CUDA_LAUNCH_BLOCKING=1") {
		return
	}
	x := tensor.On(device.CUDA(0)).Ones(4, 2)
	index := tensor.Of([]int{7}).CUDA()
	err := tensor.Try(func() { x.IndexSelect(0, index) })
	const want = "CUDA error: device-side assert triggered\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestOutOfMemory(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=gtx1050") {
		return
	}
	x := tensor.On(device.CUDA(0)).Ones(2)
	err := tensor.Try(func() { tensor.On(device.CUDA(0)).Empty(1 << 40) })
	if !errors.Is(err, tensor.ErrMemory) || !strings.HasPrefix(err.Error(), "CUDA out of memory. Tried to allocate 4096.00 GiB. GPU 0 has a total capacity of ") {
		t.Errorf("got %v", err)
	}
	if got := x.AddScalar(1).Sum().Float64(); got != 4 {
		t.Errorf("after out of memory 1+1 twice is %v", got)
	}
	if err := cuda.SetMemoryFraction(0.01); err != nil {
		t.Fatal(err)
	}
	err = tensor.Try(func() { tensor.On(device.CUDA(0)).Empty(64 << 20) })
	if err == nil || !strings.Contains(err.Error(), " allowed; Of the allocated memory") {
		t.Errorf("got %v", err)
	}
	if err := cuda.SetMemoryFraction(2); err == nil || err.Error() != "Invalid fraction value: 2.0. Allowed range: 0~1" {
		t.Errorf("got %v", err)
	}
	if s := cuda.MemoryStats(0); s["num_ooms"] != 2 || s["allocated_bytes.all.current"] == 0 {
		t.Errorf("out of memory %d times, %d bytes allocated", s["num_ooms"], s["allocated_bytes.all.current"])
	}
	x.Release() // it was alive until here
	if got := cuda.MemorySummary(); !strings.Contains(got, "CUDA OOMs: 2") {
		t.Errorf("summary:\n%s", got)
	}
	whole, short := cuda.MemorySummary(), cuda.MemorySummaryAbbreviated()
	if !strings.Contains(whole, "from large pool") || strings.Contains(short, "from large pool") || !strings.Contains(short, "Allocated memory") {
		t.Errorf("abbreviated summary:\n%s", short)
	}
	cuda.ResetAccumulatedMemoryStats()
	if s := cuda.MemoryStats(0); s["num_ooms"] != 0 || s["allocated_bytes.all.allocated"] != 0 {
		t.Errorf("after a reset: out of memory %d times, %d bytes allocated in all", s["num_ooms"], s["allocated_bytes.all.allocated"])
	}
}

func TestOldDriverRefusesToCompute(t *testing.T) {
	if !fresh(t, "CRESSET_SIM=testdata/old.json") {
		return
	}
	_, err := cuda.CurrentDevice()
	if err == nil || !strings.HasPrefix(err.Error(), "The NVIDIA driver on your system is too old (found version 10010).") {
		t.Errorf("got %v", err)
	}
	if cuda.DeviceCount() != 0 {
		t.Error("there are devices")
	}
}
