package smi

import "cresset/internal/nvml"

// Details is what a GPU reports besides, as nvidia-smi -q shows it. What it does not report is nil or empty.
type Details struct {
	Brand        string  `json:"brand,omitempty"`        // such as GeForce
	Architecture string  `json:"architecture,omitempty"` // such as Pascal
	Minor        *int    `json:"minor_number,omitempty"` // of /dev/nvidia0
	VBIOS        string  `json:"vbios,omitempty"`
	DeviceID     *uint32 `json:"pci_device_id,omitempty"` // device and vendor
	Subsystem    *uint32 `json:"pci_subsystem_id,omitempty"`
	Link         Link    `json:"link"`

	Encoder      *int    `json:"encoder_utilization,omitempty"` // percent
	Decoder      *int    `json:"decoder_utilization,omitempty"` // percent
	ClockReasons *uint64 `json:"clock_reasons,omitempty"`       // NVML's bits: why clocks are not higher

	ECCPending *bool `json:"ecc_pending,omitempty"` // after the next reset
	MIGPending *bool `json:"mig_pending,omitempty"`
	Errors     `json:"errors"`

	Limits Temperatures `json:"temperature_limits"`
	Power  PowerLimits  `json:"power_limits"`

	Clocks       Clocks `json:"clocks"` // now
	MaxClocks    Clocks `json:"max_clocks"`
	Applications Clocks `json:"application_clocks"` // that programs get where power allows
}

// Link is the connection to the PCI bus.
type Link struct {
	Generation    *int `json:"generation,omitempty"`
	MaxGeneration *int `json:"max_generation,omitempty"`
	Width         *int `json:"width,omitempty"` // lanes
	MaxWidth      *int `json:"max_width,omitempty"`
	Sent          *int `json:"sent,omitempty"`     // KB/s, over the last 20 ms
	Received      *int `json:"received,omitempty"` // KB/s, over the last 20 ms
}

// Temperatures are limits in degrees Celsius.
type Temperatures struct {
	Shutdown  *int `json:"shutdown,omitempty"`
	Slowdown  *int `json:"slowdown,omitempty"`
	Operating *int `json:"operating,omitempty"`
	Memory    *int `json:"memory,omitempty"` // in operation
}

// PowerLimits are limits in watts.
type PowerLimits struct {
	Requested *float64 `json:"requested,omitempty"`
	Default   *float64 `json:"default,omitempty"`
	Min       *float64 `json:"min,omitempty"`
	Max       *float64 `json:"max,omitempty"`
}

// Clocks are frequencies in MHz.
type Clocks struct {
	Graphics *int `json:"graphics,omitempty"`
	SM       *int `json:"sm,omitempty"` // of the multiprocessors
	Memory   *int `json:"memory,omitempty"`
	Video    *int `json:"video,omitempty"`
}

// TakeDetails is Take with the Details of every GPU. NVML takes 40 ms a GPU to tell what goes over its link.
func TakeDetails() (*Inventory, error) { return take(true) }

// Names by the numbers of nvmlBrandType_t and nvmlDeviceArchitecture_t, as nvidia-smi prints them.
var (
	brands = map[uint32]string{
		1: "Quadro", 2: "Tesla", 3: "NVS", 4: "Grid", 5: "GeForce", 6: "Titan",
		12: "Quadro RTX", 13: "NVIDIA RTX", 14: "NVIDIA", 15: "GeForce RTX", 16: "Titan RTX",
	}
	architectures = map[uint32]string{
		2: "Kepler", 3: "Maxwell", 4: "Pascal", 5: "Volta", 6: "Turing", 7: "Ampere", 8: "Ada Lovelace", 9: "Hopper", 10: "Blackwell",
	}
)

func (s *nvmlSource) details(dev nvml.Device) *Details {
	d := &Details{
		Minor:        tell(s.api.MinorNumber, dev, whole),
		ClockReasons: tell(s.api.ClockReasons, dev, same[uint64]),
		Encoder:      first(s.api.Encoder, dev),
		Decoder:      first(s.api.Decoder, dev),
		Link:         s.link(dev),
		Errors:       s.errors(dev),
		Limits: Temperatures{
			Shutdown:  tellFor(s.api.TemperatureThreshold, dev, nvml.ThresholdShutdown, whole),
			Slowdown:  tellFor(s.api.TemperatureThreshold, dev, nvml.ThresholdSlowdown, whole),
			Operating: tellFor(s.api.TemperatureThreshold, dev, nvml.ThresholdOperating, whole),
			Memory:    tellFor(s.api.TemperatureThreshold, dev, nvml.ThresholdMemory, whole),
		},
		Power:        s.powerLimits(dev),
		Clocks:       clocks(s.api.Clock, dev),
		MaxClocks:    clocks(s.api.MaxClock, dev),
		Applications: clocks(s.api.ApplicationsClock, dev),
	}
	_, d.ECCPending = modes(s.api.ECCMode, dev)
	_, d.MIGPending = modes(s.api.MIGMode, dev)
	if n, r := nvml.Ask(s.api.Brand, dev); r == nvml.Success {
		d.Brand = brands[n]
	}
	if n, r := nvml.Ask(s.api.Architecture, dev); r == nvml.Success {
		d.Architecture = architectures[n]
	}
	if text, r := nvml.Ask(s.api.VBIOS, dev); r == nvml.Success {
		d.VBIOS = text
	}
	if pci, r := s.api.PCI(dev); r == nvml.Success && pci.DeviceID != 0 {
		d.DeviceID, d.Subsystem = &pci.DeviceID, &pci.Subsystem
	}
	return d
}

func (s *nvmlSource) link(dev nvml.Device) Link {
	return Link{
		Generation:    tell(s.api.LinkGeneration, dev, whole),
		MaxGeneration: tell(s.api.MaxGeneration, dev, whole),
		Width:         tell(s.api.LinkWidth, dev, whole),
		MaxWidth:      tell(s.api.MaxWidth, dev, whole),
		Sent:          tellFor(s.api.LinkThroughput, dev, nvml.PCIeSent, whole),
		Received:      tellFor(s.api.LinkThroughput, dev, nvml.PCIeReceived, whole),
	}
}

func (s *nvmlSource) powerLimits(dev nvml.Device) PowerLimits {
	limits := PowerLimits{
		Requested: tell(s.api.PowerRequested, dev, fromMilli),
		Default:   tell(s.api.PowerDefault, dev, fromMilli),
	}
	if s.api.PowerRange != nil {
		if least, most, r := s.api.PowerRange(dev); r == nvml.Success {
			low, high := fromMilli(least), fromMilli(most)
			limits.Min, limits.Max = &low, &high
		}
	}
	return limits
}

func clocks(field func(nvml.Device, nvml.Clock) (uint32, nvml.Return), dev nvml.Device) Clocks {
	return Clocks{
		Graphics: tellFor(field, dev, nvml.ClockGraphics, whole),
		SM:       tellFor(field, dev, nvml.ClockSM, whole),
		Memory:   tellFor(field, dev, nvml.ClockMemory, whole),
		Video:    tellFor(field, dev, nvml.ClockVideo, whole),
	}
}

// first asks for a percentage that comes with the time over which it was taken.
func first(field func(nvml.Device) (percent, microseconds uint32, r nvml.Return), dev nvml.Device) *int {
	if field == nil {
		return nil
	}
	percent, _, r := field(dev)
	if r != nvml.Success {
		return nil
	}
	n := int(percent)
	return &n
}
