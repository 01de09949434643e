package tensor

import (
	"cresset/device"
	"cresset/internal/backend"
	"cresset/internal/rng"
)

// Generator is a stream of random numbers for the tensors of one device. It may be shared between goroutines.
type Generator struct {
	device device.Device
	stream backend.Generator
}

// hostGenerator starts unpredictably, as PyTorch's does.
var hostGenerator = &Generator{device: device.CPU, stream: newHostStream(rng.Entropy())}

// NewGenerator returns a generator for CPU tensors with the given seed; a negative seed is its two's complement.
func NewGenerator(seed int64) *Generator {
	return &Generator{device: device.CPU, stream: newHostStream(uint64(seed))}
}

// NewGeneratorOn returns a generator for tensors on a device with the given seed.
func NewGeneratorOn(dev device.Device, seed int64) *Generator {
	dev = resolve(dev)
	if drawer, ok := backendOf("generator", dev).(backend.Drawer); ok {
		return &Generator{device: dev, stream: drawer.NewGenerator(uint64(seed))}
	}
	return NewGenerator(seed)
}

// DefaultGenerator returns the generator of a device, from which tensors are drawn where no other is given.
func DefaultGenerator(dev device.Device) *Generator {
	dev = resolve(dev)
	return &Generator{device: dev, stream: streamOf("generator", dev)}
}

// streamOf returns the stream of a device's default generator.
func streamOf(name string, dev device.Device) backend.Generator {
	if drawer, ok := backendOf(name, dev).(backend.Drawer); ok {
		return drawer.Generator()
	}
	return hostGenerator.stream
}

// ManualSeed starts the default generator of every device from seed; a negative seed is its two's complement.
func ManualSeed(seed int64) {
	hostGenerator.ManualSeed(seed)
	seedAll(uint64(seed))
}

// Seed starts the default generator of every device from a seed that cannot be predicted, and returns it.
func Seed() uint64 {
	seed := hostGenerator.Seed()
	seedAll(seed)
	return seed
}

// InitialSeed returns the seed that the CPU's default generator started from.
func InitialSeed() uint64 { return hostGenerator.InitialSeed() }

// Device returns the device whose tensors g is for.
func (g *Generator) Device() device.Device { return g.device }

// ManualSeed starts the stream of seed and returns g; a negative seed is its two's complement.
func (g *Generator) ManualSeed(seed int64) *Generator {
	g.stream.Seed(uint64(seed))
	return g
}

// Seed starts a stream that cannot be predicted and returns its seed.
func (g *Generator) Seed() uint64 {
	seed := rng.Entropy()
	g.stream.Seed(seed)
	return seed
}

// InitialSeed returns the seed that the stream started from.
func (g *Generator) InitialSeed() uint64 { return g.stream.InitialSeed() }

// State returns the stream's position in the bytes that torch.Generator.get_state gives.
func (g *Generator) State() []byte { return g.stream.State() }

// SetState restores a position that State or PyTorch's get_state gave.
func (g *Generator) SetState(state []byte) { check("set_state", ErrValue, g.stream.SetState(state)) }

// of returns the generator to draw tensors on dev from: g, or the device's own where g is nil.
func (g *Generator) of(name string, dev device.Device) backend.Generator {
	if g == nil {
		return streamOf(name, dev)
	}
	if g.device != dev {
		fail(name, ErrDevice, "Expected a '"+dev.Type().String()+"' device type for generator but found '"+g.device.Type().String()+"'")
	}
	return g.stream
}
