package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/dl"
	"cresset/internal/driver"
	"cresset/internal/driver/open"
	"cresset/internal/hardware"
)

// machine is the GPUs that a process sees.
type machine struct {
	open func() (*driver.API, error)

	mu      sync.Mutex
	looked  bool                      // the driver was asked for GPUs, whether it had any or not
	api     *driver.API               // nil where there is none; it need not have started
	devices atomic.Pointer[[]*Device] // nil until the driver runs
	current atomic.Int32
	seed    *uint64        // for devices that are found later
	seeds   map[int]uint64 // of single devices
}

// process is the machine of this process. A failure to start is not remembered: the next use tries again.
var process = &machine{open: func() (*driver.API, error) { return open.Driver(kernels.Registers) }}

// start finds the devices on the first use.
func (m *machine) start() ([]*Device, error) {
	if ds := m.devices.Load(); ds != nil {
		return *ds, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if ds := m.devices.Load(); ds != nil {
		return *ds, nil
	}
	m.looked = true
	api, err := m.open()
	if err == nil {
		m.api = api
		err = api.Start()
	}
	if err != nil {
		return nil, startError(err)
	}
	devices, err := findDevices(api)
	if err != nil {
		return nil, err
	}
	m.applySeeds(devices)
	m.devices.Store(&devices)
	return devices, nil
}

// findDevices describes the GPUs. One of which the driver tells nothing is left to those who use it; the others are not.
func findDevices(api *driver.API) (_ []*Device, err error) {
	n, r := api.DeviceGetCount()
	if r != driver.Success {
		return nil, startError(r)
	}
	if n == 0 {
		return nil, startError(driver.ErrNoDevice)
	}
	devices := make([]*Device, min(n, maxDevices))
	answered := false
	var failed error
	for i := range devices {
		devices[i], err = newDevice(api, i)
		failed = cmp.Or(failed, err)
		answered = answered || err == nil
	}
	if !answered {
		return nil, startError(failed)
	}
	return devices, nil
}

// startError puts a driver's failure to start into PyTorch's words.
func startError(err error) error {
	e := &StartError{Cause: err, hint: err.Error()}
	var old *driver.VersionError
	var library *driver.LibraryError
	var symbol *driver.SymbolError
	var result driver.Result
	switch {
	case errors.Is(err, dl.ErrWithout):
		e.text = "Torch not compiled with CUDA enabled"
		e.hint = "this binary was built with the tag nocuda; CRESSET_SIM=1 simulates a GPU"
	case errors.As(err, &old):
		e.text = fmt.Sprintf("The NVIDIA driver on your system is too old (found version %d). Please update your GPU driver by downloading and "+
			"installing a new version from the URL: http://www.nvidia.com/Download/index.aspx Alternatively, go to: https://pytorch.org to install "+
			"a PyTorch version that has been compiled with your version of the CUDA driver.", old.Found)
		e.hint = old.Library + ": " + e.hint + "; install driver 450 or newer, or give the hardware file of " + hardware.Variable + " a newer one"
	case errors.As(err, &symbol):
		e.text, e.hint = err.Error(), "it is a stub, damaged or another program's: install NVIDIA's driver 450 or newer"
		for _, a := range symbol.Tried {
			e.hint += fmt.Sprintf("\ntried before: open %s: %v", a.Path, a.Err)
		}
	case errors.As(err, &library):
		e.text = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx"
		e.hint += "; CRESSET_SIM=1 simulates a GPU"
	case !errors.As(err, &result):
		e.text, e.hint = err.Error(), ""
	case result == driver.ErrNoDevice:
		e.text = "No CUDA GPUs are available"
		if v, ok := os.LookupEnv(visibleVariable); ok {
			e.hint += fmt.Sprintf("; %s=%q chooses among them: unset it to see all", visibleVariable, v)
		}
	case result == driver.ErrUnknown:
		e.text = "CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start. " +
			"Setting the available devices to be zero."
	default:
		e.text = "CUDA driver initialization failed, you might not have a CUDA gpu."
	}
	e.asks = errors.As(err, &result)
	return e
}

// at returns a device that is ready for work.
func (m *machine) at(index int) (*Device, error) {
	d, err := m.find(index)
	if err != nil {
		return nil, err
	}
	return d, d.start()
}

// find returns a device without touching it.
func (m *machine) find(index int) (*Device, error) {
	devices, err := m.start()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(devices) {
		return nil, &Error{Device: index, Result: driver.ErrInvalidDevice}
	}
	return devices[index], nil
}

// Open returns the backend of a GPU, which takes memory on it when it is opened first.
func Open(index int) (backend.Backend, error) {
	d, err := process.at(index)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// UseDriver makes the GPUs of a given driver those of the process until giveBack is called. What is on other GPUs must not be used
// meanwhile. It stands here since tests of many packages disturb a driver that only they use.
func UseDriver(api *driver.API) (giveBack func()) {
	own := process
	process = &machine{open: func() (*driver.API, error) { return api, nil }}
	return func() { process = own }
}

// OpenDevice is Open for who asks more of a GPU than tensors do.
func OpenDevice(index int) (*Device, error) { return process.at(index) }

// Find returns a GPU without touching it.
func Find(index int) (*Device, error) { return process.find(index) }

// Start finds the GPUs and returns why there are none.
func Start() error {
	_, err := process.start()
	return err
}

// Started reports whether the driver runs.
func Started() bool { return process.devices.Load() != nil }

// Count returns how many GPUs the process sees: 0 where none can be used.
func Count() int {
	devices, _ := process.start()
	return len(devices)
}

// Current returns the index that cuda without one stands for.
func Current() int { return int(process.current.Load()) }

// SetCurrent chooses what cuda without an index stands for.
func SetCurrent(index int) error {
	if _, err := Find(index); err != nil {
		return err
	}
	process.current.Store(int32(index))
	return nil
}

// Library says where the driver's functions come from.
type Library struct {
	Path      string // of the file, or what simulates it; empty where there is none
	Release   string // "470.256.02", where it tells
	Version   int    // 11080 for CUDA 11.8; 0 where it does not tell
	Simulated bool
}

// Installed describes the driver, also one that does not start.
func Installed() Library {
	err := Start()
	process.mu.Lock()
	defer process.mu.Unlock()
	if api := process.api; api != nil {
		v, _ := api.DriverGetVersion()
		return Library{api.Library, api.Release, int(v), api.Simulated}
	}
	var old *driver.VersionError
	var symbol *driver.SymbolError
	switch {
	case errors.As(err, &old):
		return Library{Path: old.Library, Version: int(old.Found)}
	case errors.As(err, &symbol):
		return Library{Path: symbol.Library}
	}
	return Library{}
}

// JITCompiler returns where the driver's compiler of kernels was found, "" where it needs none or the system finds it, and what keeps it
// from being opened.
func JITCompiler() (path string, err error) {
	if err := Start(); err != nil {
		return "", err
	}
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.api == nil || process.api.JITCompiler == nil {
		return "", nil
	}
	return process.api.JITCompiler()
}

// SeedAll starts the stream of every GPU from seed, of those too that are found later.
func SeedAll(seed uint64) {
	process.mu.Lock()
	defer process.mu.Unlock()
	if ds := process.devices.Load(); ds != nil {
		for _, d := range *ds {
			d.generator.Seed(seed)
		}
		return
	}
	process.seed, process.seeds = &seed, nil
}

// Seed starts the stream of the current GPU from seed, once it is found.
func Seed(seed uint64) {
	process.mu.Lock()
	defer process.mu.Unlock()
	at := Current()
	if ds := process.devices.Load(); ds != nil {
		(*ds)[at].generator.Seed(seed)
		return
	}
	if process.seeds == nil {
		process.seeds = map[int]uint64{}
	}
	process.seeds[at] = seed
}

// applySeeds gives the devices the seeds that were set before they were found.
func (m *machine) applySeeds(devices []*Device) {
	for i, d := range devices {
		if m.seed != nil {
			d.generator.Seed(*m.seed)
		}
		if seed, ok := m.seeds[i]; ok {
			d.generator.Seed(seed)
		}
	}
	m.seed, m.seeds = nil, nil
}
