package hardware

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// MaxGPUs is how many GPUs a machine can have.
const MaxGPUs = 16

// ReadFile reads a hardware file. What is not understood is refused with *FileError.
func ReadFile(path string) (*Machine, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("hardware file: %w", err)
	}
	return Read(path, data)
}

// Read reads the contents of a hardware file; file names it in errors.
func Read(file string, data []byte) (*Machine, error) {
	t, root, err := parseTree(file, data)
	if err != nil {
		return nil, err
	}
	r := &reader{tree: t}
	m := r.machine(root)
	if r.err != nil {
		return nil, r.err
	}
	m.Source = file
	return m, nil
}

// reader turns nodes into a machine. It keeps the first error and goes on, so that no step needs to look.
type reader struct {
	*tree
	err error
}

func (r *reader) refuse(n *node, format string, args ...any) {
	if r.err == nil {
		r.err = r.errorIn(n, format, args...)
	}
}

// is reports whether n is of kind k, and refuses it otherwise.
func (r *reader) is(n *node, k kind) bool {
	if n.kind != k {
		r.refuse(n, "want %s, have %s", k, n.kind)
	}
	return n.kind == k
}

// value makes a reader of values of kind k, which refuses others. It is not inlined, nor is count, since each field would compile the closure anew.
//
//go:noinline
func (r *reader) value(k kind, read func(*node)) func(*node) {
	return func(n *node) {
		if r.is(n, k) {
			read(n)
		}
	}
}

// fields hands an object's values to their readers.
func (r *reader) fields(n *node, readers map[string]func(*node)) {
	if !r.is(n, object) {
		return
	}
	for i, name := range n.names {
		read, known := readers[name]
		if !known {
			r.refuse(n.items[i], "unknown field; known are %s", strings.Join(slices.Sorted(maps.Keys(readers)), ", "))
			return
		}
		read(n.items[i])
	}
}

func (r *reader) machine(n *node) *Machine {
	m := &Machine{}
	var peers *node
	r.fields(n, map[string]func(*node){
		"driver":  r.driver(&m.Driver),
		"cuda":    r.version(`"11.4"`, func(major, minor int) { m.CUDA = int32(1000*major + 10*minor) }),
		"gpus":    func(n *node) { r.gpus(n, m) },
		"peers":   func(n *node) { peers = n },
		"library": r.driver(&m.Library),
		"loaded":  r.value(truth, func(n *node) { m.Unloaded = !n.truth }), // whether the kernel has the driver
		"wddm":    r.flag(&m.WDDM),
	})
	if r.err != nil {
		return m
	}
	switch {
	case m.Driver == "":
		r.refuse(n, `no "driver", and no preset to take it from`)
	case m.CUDA == 0:
		r.refuse(n, `no "cuda", and no preset to take it from`)
	}
	if peers != nil {
		r.peers(peers, m)
	}
	return m
}

func (r *reader) gpus(n *node, m *Machine) {
	if !r.is(n, list) {
		return
	}
	if len(n.items) > MaxGPUs {
		r.refuse(n, "%d GPUs: at most %d can be simulated", len(n.items), MaxGPUs)
		return
	}
	for _, item := range n.items {
		m.GPUs = append(m.GPUs, r.gpu(item, m))
	}
	if r.err == nil {
		r.places(n, m.GPUs)
	}
}

// gpu reads a GPU: its preset first, which the other fields then change.
func (r *reader) gpu(n *node, m *Machine) GPU {
	g := GPU{Fan: -1, Temperature: 30, ThreadsPerSM: 2048, SharedPerSM: 96 << 10, SharedPerBlock: 48 << 10}
	if i := slices.Index(n.names, "preset"); i >= 0 && r.is(n.items[i], text) {
		preset, ok := presets()[n.items[i].text]
		if !ok {
			r.refuse(n.items[i], "no preset %q; there are %s", n.items[i].text, strings.Join(Presets(), ", "))
			return g
		}
		g = preset.GPUs[0]
		g.UUID, g.Bus = "", "" // two of a kind differ
		m.adopt(preset)
	}
	fields := map[string]func(*node){
		"preset":          func(*node) {},
		"name":            r.name(&g.Name, maxName),
		"capability":      r.version(`"6.1"`, func(major, minor int) { g.Major, g.Minor = major, minor }),
		"multiprocessors": r.count(&g.Multiprocessors, 1, 1024),
		"threadsPerSM":    r.count(&g.ThreadsPerSM, 32, 4096),
		"sharedPerSM":     r.quantity(size, &g.SharedPerSM),
		"sharedPerBlock":  r.quantity(size, &g.SharedPerBlock),
		"l2":              r.quantity(size, &g.L2),
		"memory":          r.quantity(size, &g.Memory),
		"memoryBusWidth":  r.count(&g.MemoryBusWidth, 1, 65536),
		"clock":           r.quantity(frequency, &g.Clock),
		"memoryClock":     r.quantity(frequency, &g.MemoryClock),
		"bandwidth":       r.quantity(rate, &g.Bandwidth),
		"peak":            r.quantity(work, &g.Peak),
		"link":            r.quantity(rate, &g.Link),
		"peerLink":        r.quantity(rate, &g.PeerLink),
		"power":           r.count(&g.Power, 0, 100000),
		"uuid":            r.pattern(&g.UUID, uuidForm, `"GPU-5428af19-1e82-a38c-ee42-cdd3ad745b7e"`),
		"bus":             r.pattern(&g.Bus, busForm, `"00000000:01:00.0"`),
		"used":            r.quantityOrZero(size, &g.Used),
		"processes":       func(n *node) { g.Processes = r.processes(n) },
		"draw":            r.count(&g.Draw, 0, 100000),
		"temperature":     r.count(&g.Temperature, -50, 200),
		"fan":             r.count(&g.Fan, 0, 100),
		"utilization":     r.count(&g.Utilization, 0, 100),
	}
	maps.Copy(fields, r.management(&g))
	r.fields(n, fields)
	r.complete(n, &g)
	return g
}

// complete refuses a GPU that lacks what the simulation counts with.
func (r *reader) complete(n *node, g *GPU) {
	missing := func(name string, absent bool) {
		if absent {
			r.refuse(n, "no %q, and no preset to take it from", name)
		}
	}
	missing("name", g.Name == "")
	missing("capability", g.Major == 0)
	missing("multiprocessors", g.Multiprocessors == 0)
	missing("memory", g.Memory == 0)
	missing("clock", g.Clock == 0)
	missing("bandwidth", g.Bandwidth == 0)
	missing("peak", g.Peak == 0)
	missing("link", g.Link == 0)
	if g.Memory > 4<<40 {
		r.refuse(n, "%d bytes of memory: at most 4 TiB can be simulated", g.Memory)
	}
	if g.Used > g.Memory {
		r.refuse(n, "%d bytes used of %d", g.Used, g.Memory)
	}
	r.manageable(n, g)
}

func (r *reader) processes(n *node) (all []Process) {
	if !r.is(n, list) {
		return nil
	}
	for _, item := range n.items {
		p := Process{Type: "C"}
		r.fields(item, map[string]func(*node){
			"pid":    r.count(&p.PID, 1, 1<<31-1),
			"type":   r.oneOf(&p.Type, "C", "G", "C+G"),
			"name":   r.name(&p.Name, maxPath),
			"memory": r.quantityOrZero(size, &p.Memory),
		})
		if p.PID == 0 || p.Name == "" {
			r.refuse(item, "a process needs a pid and a name")
		}
		all = append(all, p)
	}
	return all
}

// peers reads the matrix of who can access whose memory; empty is nobody.
func (r *reader) peers(n *node, m *Machine) {
	m.Peers = nil
	if !r.is(n, list) || len(n.items) == 0 {
		return
	}
	if len(n.items) != len(m.GPUs) {
		r.refuse(n, "%d rows for %d GPUs", len(n.items), len(m.GPUs))
		return
	}
	for i, row := range n.items {
		if !r.is(row, list) {
			return
		}
		if len(row.items) != len(m.GPUs) {
			r.refuse(row, "%d columns for %d GPUs", len(row.items), len(m.GPUs))
			return
		}
		can := make([]bool, len(row.items))
		for j, item := range row.items {
			if r.is(item, truth) && item.truth && i == j {
				r.refuse(item, "a GPU is not its own peer")
			}
			can[j] = item.truth
		}
		m.Peers = append(m.Peers, can)
	}
}

var (
	uuidForm    = regexp.MustCompile(`^GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	busForm     = regexp.MustCompile(`^[0-9A-F]{8}:[0-9A-F]{2}:[0-1][0-9A-F]\.0$`)
	driverForm  = regexp.MustCompile(`^[0-9]{3}(\.[0-9]{2,3}){1,2}$`)
	versionForm = regexp.MustCompile(`^([1-9][0-9]?)\.([0-9])$`)
	serialForm  = regexp.MustCompile(`^[0-9]{1,20}$`)
	stateForm   = regexp.MustCompile(`^P([0-9]|1[0-5])$`)
)

func (r *reader) pattern(to *string, form *regexp.Regexp, example string) func(*node) {
	return r.value(text, func(n *node) {
		if !form.MatchString(n.text) {
			r.refuse(n, "want one such as %s, have %q", example, n.text)
		}
		*to = n.text
	})
}

func (r *reader) driver(to *string) func(*node) { return r.pattern(to, driverForm, `"470.256.02"`) }

// version reads two numbers with a point between them.
func (r *reader) version(example string, set func(major, minor int)) func(*node) {
	return func(n *node) {
		var version string
		r.pattern(&version, versionForm, example)(n)
		if parts := versionForm.FindStringSubmatch(version); parts != nil {
			set(atoi(parts[1]), atoi(parts[2]))
		}
	}
}

// atoi is for digits that a pattern has found.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// Bytes of names: of a GPU, with which NVML's 96 have room for "(simulated)", and of a program, which can be a path.
const (
	maxName = 90
	maxPath = 4096
)

func (r *reader) name(to *string, most int) func(*node) {
	return r.value(text, func(n *node) {
		if n.text == "" || len(n.text) > most || strings.ContainsFunc(n.text, control) {
			r.refuse(n, "want 1 to %d printable bytes, have %d: %.90q", most, len(n.text), n.text)
		}
		*to = n.text
	})
}

func control(c rune) bool { return c < ' ' || c == 0x7f }

func (r *reader) oneOf(to *string, allowed ...string) func(*node) {
	return r.value(text, func(n *node) {
		if !slices.Contains(allowed, n.text) {
			r.refuse(n, "want one of %s, have %q", strings.Join(allowed, ", "), n.text)
		}
		*to = n.text
	})
}

//go:noinline
func (r *reader) count(to *int, least, most int) func(*node) {
	return r.value(number, func(n *node) {
		v, err := strconv.Atoi(n.text)
		if err != nil || v < least || v > most {
			r.refuse(n, "want a whole number from %d to %d, have %s", least, most, n.text)
		}
		*to = v
	})
}

func (r *reader) quantity(u unit, to *uint64) func(*node) {
	return func(n *node) {
		r.quantityOrZero(u, to)(n)
		if *to == 0 {
			r.refuse(n, "want more than nothing, have %q", n.text)
		}
	}
}

func (r *reader) quantityOrZero(u unit, to *uint64) func(*node) {
	return r.value(text, func(n *node) {
		v, ok := u.parse(n.text)
		if !ok {
			r.refuse(n, "want one such as %s, have %q", u.example, n.text)
		}
		*to = v
	})
}
