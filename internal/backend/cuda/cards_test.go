package cuda

import (
	"regexp"
	"slices"
	"sync"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
)

// A card is a simulated GPU that notes which kernels it has run. The interpreter must not refuse any: an op whose kernel is refused is left to the next
// variant in silence, which a test of the first would take for it.
type card struct {
	*Device
	nearest bool   // tensor cores round each sum once
	order   uint64 // of blocks, where it is not 0
	mu      sync.Mutex
	ran     []string
}

func newCard(t *testing.T, preset string) *card {
	t.Helper()
	m, err := hardware.Preset(preset, 1)
	if err != nil {
		t.Fatal(err)
	}
	return watched(t, m)
}

func cardOf(t *testing.T, m *hardware.Machine) *Device { return watched(t, m).Device }

func watched(t *testing.T, m *hardware.Machine) *card {
	t.Helper()
	c, err := &card{}, error(nil)
	d := sim.New(m, sim.Options{Compile: c.compile, LookupEnv: func(string) (string, bool) { return "", false }})
	if c.Device, err = (&machine{open: func() (*driver.API, error) { return d.API, nil }}).at(0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, r := range c.Refused() {
			t.Errorf("%s refused %s: %s", c.properties.Name, r.Module, r.Reason)
		}
	})
	return c
}

// compile is noting, with the card's way to round.
func (c *card) compile(name, text string) (*sim.Code, error) {
	code, err := noting(c.note)(name, text)
	if err != nil {
		return nil, err
	}
	for _, k := range code.Kernels {
		run := k.Run
		k.Run = func(l *sim.Launch) (sim.Work, error) {
			l.Nearest, l.Shuffle = c.nearest, c.order
			return run(l)
		}
	}
	return code, nil
}

// noting is the interpreter, which tells of each launch that it has run.
func noting(note func(kernel string, done sim.Work)) sim.Compiler {
	return func(name, text string) (*sim.Code, error) {
		code, err := sim.CompilePTX(name, text)
		if err != nil {
			return nil, err
		}
		for name, k := range code.Kernels {
			run := k.Run
			k.Run = func(l *sim.Launch) (sim.Work, error) {
				done, err := run(l)
				note(name, done)
				return done, err
			}
		}
		return code, nil
	}
}

func (c *card) note(kernel string, _ sim.Work) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.ran, kernel) {
		c.ran = append(c.ran, kernel)
	}
}

// wants wants a kernel to have run whose name matches, for each of the patterns, since it was last asked.
func (c *card) wants(t *testing.T, patterns ...string) {
	t.Helper()
	if err := c.Sync(); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range patterns {
		if !slices.ContainsFunc(c.ran, regexp.MustCompile("^"+p+"$").MatchString) {
			t.Errorf("on %s no kernel %s has run, but %v", c.properties.Name, p, c.ran)
		}
	}
	c.ran = nil
}

// TestRefusedKernelsAreTold: a card on which a kernel did not run says so.
func TestRefusedKernelsAreTold(t *testing.T) {
	c := newCard(t, "a100")
	c.note("product_64x64_mma_kk_bf16", sim.Work{})
	inner := &testing.T{}
	c.wants(inner, "product_.*_mma_.._bf16")
	if inner.Failed() {
		t.Error("a kernel that has run is missed")
	}
	c.wants(inner, "product_.*_mma_.._bf16")
	if !inner.Failed() {
		t.Error("a kernel that has not run since is not missed")
	}
}
