package cuda

import (
	"errors"
	"strings"
	"testing"

	"cresset/internal/dl"
	"cresset/internal/driver"
)

func TestStartErrorsAreInPyTorchsWords(t *testing.T) {
	none := newFakeDriver()
	none.api.DeviceGetCount = func() (int32, driver.Result) { return 0, driver.Success }
	old := newFakeDriver()
	old.api.DriverGetVersion = func() (int32, driver.Result) { return 10010, driver.Success }
	broken := newFakeDriver()
	broken.api.Init = func(uint32) driver.Result { return driver.ErrUnknown }
	hidden := newFakeDriver()
	hidden.api.Init = func(uint32) driver.Result { return driver.ErrNoDevice }
	tests := []struct {
		name string
		m    *machine
		want string
	}{
		{"no library", &machine{open: func() (*driver.API, error) { return nil, &driver.LibraryError{Err: errors.New("tried libcuda.so.1")} }},
			"Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx"},
		{"nocuda", &machine{open: func() (*driver.API, error) { return nil, &driver.LibraryError{Err: dl.ErrWithout} }}, "Torch not compiled with CUDA enabled"},
		{"no GPU", none.machine(), "No CUDA GPUs are available"},
		{"hidden GPUs", hidden.machine(), "No CUDA GPUs are available"},
		{"old", old.machine(), "The NVIDIA driver on your system is too old (found version 10010). Please update your GPU driver by downloading and installing " +
			"a new version from the URL: http://www.nvidia.com/Download/index.aspx Alternatively, go to: https://pytorch.org to install a PyTorch version that has " +
			"been compiled with your version of the CUDA driver."},
		{"broken", broken.machine(), "CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after " +
			"program start. Setting the available devices to be zero."},
	}
	for _, tt := range tests {
		_, err := tt.m.at(0)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
		var e *StartError
		if !errors.As(err, &e) || e.Hint() == "" {
			t.Errorf("%s: no hint", tt.name)
		}
	}
}

func TestMissingSymbolTellsWhatWasTried(t *testing.T) {
	m := &machine{open: func() (*driver.API, error) {
		return nil, &driver.SymbolError{Library: "/lib/libcuda.so.1", Symbol: "cuLaunchKernel", Tried: []dl.Attempt{{Path: "/first", Err: errors.New("absent")}}}
	}}
	_, err := m.at(0)
	var e *StartError
	if !errors.As(err, &e) || e.Error() != "/lib/libcuda.so.1 has no cuLaunchKernel" {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(e.Hint(), "driver 450 or newer") || !strings.Contains(e.Hint(), "open /first: absent") {
		t.Errorf("the hint is %q", e.Hint())
	}
}

func TestOldGPUsAreRefused(t *testing.T) {
	f := newFakeDriver()
	f.api.DeviceGetAttribute = func(driver.Attribute, driver.Device) (int32, driver.Result) { return 5, driver.Success }
	_, err := f.machine().at(1)
	var e *CapabilityError
	if !errors.As(err, &e) || e.Device != 1 || e.Major != 5 || !strings.HasSuffix(err.Error(), "needs compute capability 6.0, has 5.5") {
		t.Errorf("got %v", err)
	}
}

func TestInvalidOrdinal(t *testing.T) {
	m := newFakeDriver().machine()
	for _, index := range []int{-1, 2, 127} {
		if _, err := m.at(index); err == nil || !strings.HasPrefix(err.Error(), "CUDA error: invalid device ordinal\n") {
			t.Errorf("%d: got %v", index, err)
		}
	}
	if _, err := m.at(1); err != nil {
		t.Errorf("after invalid ordinals: %v", err)
	}
}

func TestSeedsWaitForTheDevices(t *testing.T) {
	seed := uint64(7)
	m := newFakeDriver().machine()
	m.seed, m.seeds = &seed, map[int]uint64{1: 9}
	for index, want := range []uint64{7, 9} {
		d, err := m.at(index)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.generator.InitialSeed(); got != want {
			t.Errorf("device %d has seed %d, want %d", index, got, want)
		}
	}
}

func TestSimulatedDevicesSaySo(t *testing.T) {
	d := newFakeDriver().device(t)
	p := d.Properties()
	if p.Name != "Fake GPU (simulated)" || !p.Simulated {
		t.Errorf("name %q, simulated %v", p.Name, p.Simulated)
	}
	want := "_CudaDeviceProperties(name='Fake GPU (simulated)', major=8, minor=8, total_memory=4096MB, multi_processor_count=20, " +
		"uuid=ab000000-0000-0000-0000-000000000000, L2_cache_size=0MB)"
	if got := p.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestGeneratorState(t *testing.T) {
	g := NewGenerator(5)
	g.take(4)
	g.take(10)
	state := g.State()
	h := NewGenerator(0)
	if err := h.SetState(state); err != nil || h.seed != 5 || h.offset != 16 {
		t.Errorf("seed %d, offset %d, error %v, want 5 and 16", h.seed, h.offset, err)
	}
	if err := h.SetState(state[:8]); err != nil || h.offset != 0 {
		t.Errorf("offset %d, error %v", h.offset, err)
	}
	for _, tt := range []struct {
		state []byte
		want  string
	}{
		{make([]byte, 10), "RNG state is wrong size"},
		{[]byte{1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}, "offset must be a multiple of 4"},
	} {
		if err := h.SetState(tt.state); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}
