package kernels

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEveryKernelHasFigures: a change of kernels' names is one of ptx/figures too, which scripts/ptxas.py writes.
func TestEveryKernelHasFigures(t *testing.T) {
	all := index()
	for name, in := range all {
		f, ok := FiguresOf(name, 120)
		switch first, _ := FiguresOf(name, in.target.Capability); {
		case !ok || first.Registers == 0:
			t.Errorf("%s has no figures: run scripts/ptxas.py --write", name)
		case f.Instructions == 0:
			t.Errorf("%s has no instructions", name)
		}
	}
	for name := range figures() {
		if _, ok := all[name]; !ok {
			t.Errorf("ptx/figures has %s, which is no kernel: run scripts/ptxas.py --write", name)
		}
	}
}

// TestFiguresOfModules: each module has its section, for the target that it was compiled for and of the text that it has now. On no GPU do kernels spill that
// are made for one generation or bound their registers.
func TestFiguresOfModules(t *testing.T) {
	figures, err := os.ReadFile("ptx/figures")
	if err != nil {
		t.Fatal(err)
	}
	all := modules()
	for _, name := range slices.Sorted(maps.Keys(all)) { // a family's one after the other
		m := all[name]
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		target, _, _ := strings.Cut(m.target.String(), " ")
		_, section, ok := strings.Cut(string(figures), "\n"+m.name+" "+target+" ")
		head, _, _ := strings.Cut(section, "\n")
		if hash := fmt.Sprintf(" %x", sha256.Sum256(text)); !ok || !strings.HasSuffix(head, hash[:13]) {
			t.Errorf("ptx/figures has no section %s %s of this text: run scripts/ptxas.py --write", m.name, target)
		}
		if m.target.Everywhere() && !bytes.Contains(text, []byte("\n.minnctapersm")) {
			continue
		}
		for _, line := range strings.Split(section, "\n")[1:] {
			if !strings.HasPrefix(line, "\t") {
				break
			}
			if _, figures, _ := strings.Cut(line, " = "); strings.Contains(figures, "+") {
				t.Errorf("kernels of %s spill, which is tuned: %s", m.name, line)
			}
		}
	}
}

func TestReadFigures(t *testing.T) {
	got := readFigures([]string{"60", "80", "90"}, strings.Fields("40+16 32:5/20/2/1:64 31 1024"))
	want := []Figures{
		{Capability: 60, Registers: 40, Local: 16, Shared: 1024, Arithmetic: 5, Instructions: 20, Doubles: 2, Conversions: 1, Bytes: 64},
		{Capability: 80, Registers: 32, Shared: 1024, Arithmetic: 5, Instructions: 20, Doubles: 2, Conversions: 1, Bytes: 64},
		{Capability: 90, Registers: 31, Shared: 1024, Arithmetic: 5, Instructions: 20, Doubles: 2, Conversions: 1, Bytes: 64},
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
	if got := readFigures([]string{"75"}, strings.Fields("32:5/20:64:3 0")); got[0].Doubles != 0 || got[0].Bytes != 64 {
		t.Errorf("without float64: got %+v", got[0])
	}
	if r := Registers("add_f32", 50); r != 0 {
		t.Errorf("a GPU that is too old: got %d registers", r)
	}
}
