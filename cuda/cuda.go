// Package cuda tells what GPUs there are and what they do: names, memory, random seeds. Tensors themselves are moved by
// package tensor: x.To(device.CUDA(0)).
//
// An index names a GPU among those that the process sees. Functions that take index... mean the current GPU without one.
// Where there is no GPU, IsAvailable, DeviceCount and the seeds say so or do nothing; what needs one returns PyTorch's error.
package cuda

import (
	"cresset/device"
	"cresset/internal/backend/cuda"
)

// IsAvailable reports whether there is a GPU that tensors can live on.
func IsAvailable() bool { return cuda.Count() > 0 }

// DeviceCount returns how many GPUs the process sees, 0 where none can be used.
func DeviceCount() int { return cuda.Count() }

// CurrentDevice returns the index that device.CUDA() stands for, and an error where there is no GPU.
func CurrentDevice() (int, error) {
	if err := cuda.Start(); err != nil {
		return 0, err
	}
	return cuda.Current(), nil
}

// SetDevice chooses what device.CUDA() stands for, for the whole process; ops follow their tensors whatever it says. A
// negative index changes nothing.
func SetDevice(index int) error {
	if index < 0 {
		return nil
	}
	return cuda.SetCurrent(index)
}

// Properties describes a GPU. Its String is PyTorch's.
type Properties = cuda.Properties

// DeviceProperties returns what is known of a GPU.
func DeviceProperties(index ...int) (Properties, error) {
	d, err := find(number(index), "Invalid device id")
	if err != nil {
		return Properties{}, err
	}
	return d.Properties(), d.Silent()
}

// DeviceName returns a GPU's name; that of a simulated one ends in "(simulated)".
func DeviceName(index ...int) (string, error) {
	p, err := DeviceProperties(index...)
	return p.Name, err
}

// DeviceCapability returns a GPU's compute capability, 6 and 1 for example.
func DeviceCapability(index ...int) (major, minor int, err error) {
	p, err := DeviceProperties(index...)
	return p.Major, p.Minor, err
}

// CanDeviceAccessPeer reports whether a GPU reaches the memory of another without passing through the host.
func CanDeviceAccessPeer(index, peer int) (bool, error) {
	a, err := find(index, "Invalid device id")
	if err != nil {
		return false, err
	}
	b, err := find(peer, "Invalid peer device id")
	if err != nil {
		return false, err
	}
	return a.CanReach(b)
}

// Synchronize waits until a GPU has done all that was issued to it, and returns what failed there.
func Synchronize(index ...int) error {
	d, err := at(index)
	if err != nil {
		return err
	}
	return d.Sync()
}

// ManualSeed starts the current GPU's random numbers from seed, as soon as there is one.
func ManualSeed(seed int64) { cuda.Seed(uint64(seed)) }

// ManualSeedAll starts the random numbers of every GPU from seed.
func ManualSeedAll(seed int64) { cuda.SeedAll(uint64(seed)) }

// RNGStateAll returns the state of each GPU's default generator, none where the program has not used GPUs.
func RNGStateAll() [][]byte {
	if !cuda.Started() {
		return nil
	}
	states := make([][]byte, cuda.Count())
	for i := range states {
		if d, err := cuda.Find(i); err == nil {
			states[i] = d.Generator().State()
		}
	}
	return states
}

// SetRNGStateAll restores what RNGStateAll returned. States of GPUs that are not there are passed over.
func SetRNGStateAll(states [][]byte) error {
	for i, state := range states[:min(len(states), DeviceCount())] {
		d, err := cuda.Find(i)
		if err == nil {
			err = d.Generator().SetState(state)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// SetVisibleDevices says which GPUs the process sees, in the words of CUDA_VISIBLE_DEVICES, whose value it replaces. It
// returns an error after the program has looked for GPUs, also where it found none.
func SetVisibleDevices(list string) error { return cuda.SetVisible(list, false) }

// DefaultVisibleDevices is SetVisibleDevices, but keeps a value that the process has inherited.
func DefaultVisibleDevices(list string) error { return cuda.SetVisible(list, true) }

// TryGPU returns the GPU with the given index, or the CPU where there is none.
func TryGPU(index int) device.Device {
	if index >= 0 && index < DeviceCount() {
		return device.CUDA(index)
	}
	return device.CPU
}

// TryAllGPUs returns every GPU, or the CPU alone where there is none.
func TryAllGPUs() []device.Device {
	n := DeviceCount()
	if n == 0 {
		return []device.Device{device.CPU}
	}
	all := make([]device.Device, n)
	for i := range all {
		all[i] = device.CUDA(i)
	}
	return all
}

// at returns the GPU that an optional index names.
func at(index []int) (*cuda.Device, error) {
	if len(index) == 0 {
		return cuda.Find(cuda.Current())
	}
	return cuda.Find(index[0])
}

// find returns a GPU; an index that none has is told in the given words.
func find(index int, words string) (*cuda.Device, error) {
	if err := cuda.Start(); err != nil {
		return nil, err
	}
	if index < 0 || index >= cuda.Count() {
		return nil, &IndexError{Index: index, text: words}
	}
	return cuda.Find(index)
}

// IndexError is a question about a GPU that does not exist.
type IndexError struct {
	Index int
	text  string
}

// Error returns PyTorch's text.
func (e *IndexError) Error() string { return e.text }
