package hardware

import (
	"cmp"
	"strconv"
)

// Setting is something that is on or off, or that a GPU does not have.
type Setting int

// Settings.
const (
	Absent Setting = iota
	Off
	On
)

// Management is what NVML tells of a GPU beyond what CUDA does. The zero value tells as little as a GPU for games.
type Management struct {
	Serial            string // "" where it has none
	Reserved          uint64 // bytes that the driver keeps
	BAR1              uint64 // bytes; 0 where it is not told
	MemoryUtilization int    // percent
	Performance       Performance
	Slowdown          int // degrees Celsius; 0 where it is not told
	Shutdown          int // degrees Celsius; 0 where it is not told
	Fans              int // that are told apart; 0 is one where there is a speed
	Persistence       Setting
	Display           Setting
	ECC               Setting
	ECCCorrected      int // errors
	ECCUncorrected    int // errors
	MIG               Setting
	Instances         []Instance
	ComputeMode       string // Default, Exclusive_Process or Prohibited
	LinkGeneration    int    // of PCIe; 0 where it is not told
	LinkWidth         int    // lanes
	NVLinks           int
	Lost              bool // fallen off the bus
}

// Performance is a performance state: P0, the fastest, to P15. "" follows the load.
type Performance string

// Number returns the state's number, or false where it follows the load.
func (p Performance) Number() (n int, ok bool) {
	if p == "" {
		return 0, false
	}
	return atoi(string(p[1:])), true
}

// Libraries returns the version of the driver's libraries.
func (m *Machine) Libraries() string { return cmp.Or(m.Library, m.Driver) }

// Mismatched reports whether the libraries are of another version than the driver, as after an update without a restart.
func (m *Machine) Mismatched() bool { return m.Libraries() != m.Driver }

// Generation returns the driver's major version, such as 470.
func (m *Machine) Generation() int {
	n, err := strconv.Atoi(m.Driver[:min(3, len(m.Driver))]) // the reader has checked the form
	if err != nil {
		return 0
	}
	return n
}

// management has the readers of these fields.
func (r *reader) management(g *GPU) map[string]func(*node) {
	return map[string]func(*node){
		"serial":            r.pattern(&g.Serial, serialForm, `"1320021000001"`),
		"reserved":          r.quantityOrZero(size, &g.Reserved),
		"bar1":              r.quantity(size, &g.BAR1),
		"memoryUtilization": r.count(&g.MemoryUtilization, 0, 100),
		"performance":       r.pattern((*string)(&g.Performance), stateForm, `"P0"`),
		"slowdown":          r.count(&g.Slowdown, 1, 200),
		"shutdown":          r.count(&g.Shutdown, 1, 200),
		"fans":              r.count(&g.Fans, 1, 16),
		"persistence":       r.setting(&g.Persistence),
		"display":           r.setting(&g.Display),
		"ecc":               r.setting(&g.ECC),
		"eccCorrected":      r.count(&g.ECCCorrected, 0, 1<<31-1),
		"eccUncorrected":    r.count(&g.ECCUncorrected, 0, 1<<31-1),
		"mig":               r.setting(&g.MIG),
		"instances":         func(n *node) { g.Instances = r.instances(n) },
		"computeMode":       r.oneOf(&g.ComputeMode, "Default", "Exclusive_Process", "Prohibited"),
		"linkGeneration":    r.count(&g.LinkGeneration, 1, 8),
		"linkWidth":         r.count(&g.LinkWidth, 1, 32),
		"nvlinks":           r.count(&g.NVLinks, 0, 32),
		"lost":              r.flag(&g.Lost),
	}
}

func (r *reader) setting(to *Setting) func(*node) {
	return r.value(truth, func(n *node) {
		*to = Off
		if n.truth {
			*to = On
		}
	})
}

func (r *reader) flag(to *bool) func(*node) {
	return r.value(truth, func(n *node) { *to = n.truth })
}

// manageable refuses what contradicts itself.
func (r *reader) manageable(n *node, g *GPU) {
	if g.Reserved > g.Memory-min(g.Used, g.Memory) {
		r.refuse(n, "%d bytes used and %d reserved of %d", g.Used, g.Reserved, g.Memory)
	}
	if g.ECC == Absent && g.ECCCorrected+g.ECCUncorrected > 0 {
		r.refuse(n, `memory errors, and no "ecc" to find them`)
	}
	if g.Fans > 0 && g.Fan < 0 {
		r.refuse(n, `%d fans, and no "fan" for their speed`, g.Fans)
	}
	r.partitioned(n, g)
}
