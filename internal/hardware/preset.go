package hardware

import (
	"cmp"
	"embed"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed presets/*.json
var presetFiles embed.FS

// embedded has the machines of the embedded files by name.
var embedded struct {
	once     sync.Once
	machines map[string]*Machine
}

func presets() map[string]*Machine {
	embedded.once.Do(func() { embedded.machines = readPresets() })
	return embedded.machines
}

// readPresets reads the embedded files. They are sound, which a test sees to.
func readPresets() map[string]*Machine {
	all := map[string]*Machine{}
	names, err := fs.Glob(presetFiles, "presets/*.json")
	for _, name := range names {
		var data []byte
		if data, err = presetFiles.ReadFile(name); err != nil {
			break
		}
		name = strings.TrimSuffix(path.Base(name), ".json")
		if all[name], err = Read(name, data); err != nil {
			break
		}
	}
	if err != nil {
		panic(err)
	}
	return all
}

// Presets returns the names of the presets, sorted.
func Presets() []string { return slices.Sorted(maps.Keys(presets())) }

// Preset returns a machine with n GPUs of a preset, all of them peers where the preset has a link between GPUs.
func Preset(name string, n int) (*Machine, error) {
	preset, ok := presets()[name]
	if !ok {
		return nil, fmt.Errorf("no preset %q; there are %s", name, strings.Join(Presets(), ", "))
	}
	if n < 0 || n > MaxGPUs {
		return nil, fmt.Errorf("%d GPUs: want from 0 to %d", n, MaxGPUs)
	}
	m := &Machine{Source: name}
	m.adopt(preset)
	for range n {
		g := preset.GPUs[0]
		g.UUID, g.Bus = "", ""
		m.GPUs = append(m.GPUs, g)
	}
	place(m.GPUs)
	if preset.GPUs[0].PeerLink > 0 {
		m.connect()
	}
	return m, nil
}

// adopt takes what m does not have from a preset's machine.
func (m *Machine) adopt(preset *Machine) {
	m.Driver, m.CUDA = cmp.Or(m.Driver, preset.Driver), cmp.Or(m.CUDA, preset.CUDA)
}

// connect makes every GPU a peer of every other.
func (m *Machine) connect() {
	m.Peers = make([][]bool, len(m.GPUs))
	for i := range m.Peers {
		m.Peers[i] = make([]bool, len(m.GPUs))
		for j := range m.Peers[i] {
			m.Peers[i][j] = i != j
		}
	}
}

// place gives the GPUs that have none a free place on the bus and a UUID, which follows from name and place and so is the
// same in every process.
func place(gpus []GPU) {
	taken := map[string]bool{}
	for i := range gpus {
		taken[gpus[i].Bus] = true
	}
	slot := 0
	for i := range gpus {
		g := &gpus[i]
		for g.Bus == "" {
			slot++
			if bus := fmt.Sprintf("00000000:%02X:00.0", slot); !taken[bus] {
				g.Bus = bus
			}
		}
		if g.UUID == "" {
			g.UUID = "GPU-" + identifier(g.Name+" at "+g.Bus)
		}
		g.nameInstances()
	}
}

// identifier returns what a UUID that follows from a name has after its kind.
func identifier(name string) string {
	hash := fnv.New128a()
	_, _ = hash.Write([]byte(name)) // never fails
	h := hash.Sum(nil)
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:])
}

// places is place for the GPUs of a file. It refuses two with the same bus address or UUID.
func (r *reader) places(n *node, gpus []GPU) {
	for i := range gpus {
		for j := range i {
			if gpus[i].Bus != "" && gpus[i].Bus == gpus[j].Bus {
				r.refuse(n.items[i], "is where gpus[%d] is: %s", j, gpus[i].Bus)
			}
			if gpus[i].UUID != "" && gpus[i].UUID == gpus[j].UUID {
				r.refuse(n.items[i], "has the UUID of gpus[%d]: %s", j, gpus[i].UUID)
			}
		}
	}
	place(gpus)
}
