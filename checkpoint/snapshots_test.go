package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// practice is a training that draws random numbers in its loader and in its model, on the CPU, a GPU or two.
type practice struct {
	net       *nn.Sequential
	forward   func(x *tensor.Tensor) *tensor.Tensor
	device    device.Device
	optimizer *optim.Algorithm
	schedule  optim.Schedule
	loader    *data.Loader[data.Batch]
	noise     *tensor.Generator
	average   *tensor.Tensor
	steps     int
	losses    []float64
	names     map[string]int
}

func newPractice(seed int64) *practice { return newPracticeOn(seed, device.CPU) }

func newPracticeOn(seed int64, dev device.Device) *practice {
	tensor.ManualSeed(seed)
	p := &practice{device: dev, noise: tensor.NewGenerator(seed), average: tensor.On(dev).Zeros(3)}
	on := nn.On(dev)
	p.net = nn.NewSequential(nn.NewLinear(4, 8, on), nn.NewBatchNorm1D(8, on), nn.NewDropout(0.5), nn.NewLinear(8, 3, on))
	p.forward = p.net.Forward
	p.optimizer = optim.NewAdam(nn.Parameters(p.net), optim.LR(0.05))
	p.schedule = optim.NewWarmup(p.optimizer, 0.5, 3, optim.NewCosineAnnealingLR(p.optimizer, 20))
	g := tensor.NewGenerator(1)
	inputs, targets := tensor.Place{}.With(g).Randn(22, 4), tensor.Place{}.With(g).RandInt(0, 3, 22)
	p.loader = data.NewLoader(data.FromTensors(inputs, targets), data.BatchSize(6), data.Shuffle(true), data.Workers(2))
	return p
}

func (p *practice) snapshot() Snapshot {
	return Snapshot{"model": p.net, "optimizer": p.optimizer, "schedule": p.schedule, "loader": p.loader, "noise": p.noise,
		"average": p.average, "steps": &p.steps, "losses": &p.losses, "names": &p.names}
}

// train goes on until so many steps are done; then is called after each.
func (p *practice) train(t *testing.T, steps int, then func()) *practice {
	t.Helper()
	for p.steps < steps {
		for b, err := range p.loader.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			p.step(b)
			if then(); p.steps == steps {
				break
			}
		}
	}
	return p
}

func (p *practice) step(b data.Batch) {
	p.optimizer.ZeroGrad()
	x := b.Inputs.Add(tensor.Place{}.With(p.noise).Randn(4).MulScalar(0.01))
	loss := tensor.CrossEntropy(p.forward(x.To(p.device)), b.Targets.To(p.device))
	loss.Backward()
	p.optimizer.Step()
	p.schedule.Step()
	p.average.MulScalarInPlace(0.5)
	p.average.AddInPlace(tensor.On(p.device).Rand(3))
	p.steps++
	p.losses = append(p.losses, loss.Float64())
	p.names = map[string]int{"last": p.steps}
}

// fingerprint is all that a training has come to, in bits.
func (p *practice) fingerprint() string {
	var b strings.Builder
	for name, x := range nn.State(p.net) {
		fmt.Fprintf(&b, "%s %x\n", name, tensor.Values[float64](x.Double()))
	}
	lines := strings.Split(b.String(), "\n")
	slices.Sort(lines)
	return fmt.Sprintf("%s\n%x %v %x %v %x\n%v %v %v", strings.Join(lines, "\n"), tensor.Values[float32](p.average), p.steps, p.losses,
		p.names, p.optimizer.Groups()[0].LR, tensor.Rand(2), tensor.Place{}.With(p.noise).Rand(2), tensor.On(p.device).Rand(2))
}

func nothing() {}

// TestResumedTraining stops after each number of steps and goes on in a training that was made with another seed.
func TestResumedTraining(t *testing.T) {
	const steps = 13
	want := newPractice(1).train(t, steps, nothing).fingerprint()
	saves := map[string]func(*Snapshots, Snapshot) error{
		"Save":      func(d *Snapshots, s Snapshot) error { return d.Save(s) },
		"SaveAsync": func(d *Snapshots, s Snapshot) error { return d.SaveAsync(s) },
	}
	for name, save := range saves {
		for _, stop := range []int{0, 1, 3, 4, 6, 12} {
			d := NewSnapshots(t.TempDir())
			first := newPractice(1)
			if err := save(d, first.snapshot()); err != nil {
				t.Fatal(err)
			}
			first.train(t, stop, func() {
				if err := save(d, first.snapshot()); err != nil {
					t.Fatal(err)
				}
			})
			if name == "SaveAsync" {
				first.train(t, stop+1, nothing) // while it is written
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			second := newPractice(2)
			if r, err := d.Resume(second.snapshot()); err != nil || r.Path == "" || len(r.Skipped) > 0 {
				t.Fatalf("%s, %d steps: %+v, %v", name, stop, r, err)
			}
			if second.steps != stop {
				t.Fatalf("%s: resumed after %d steps, want %d", name, second.steps, stop)
			}
			if got := second.train(t, steps, nothing).fingerprint(); got != want {
				t.Errorf("%s, resumed after %d steps:\n%s\nwant\n%s", name, stop, got, want)
			}
		}
	}
}

// TestDamagedSnapshotsAreSkipped damages the newest snapshots in many ways.
func TestDamagedSnapshotsAreSkipped(t *testing.T) {
	damages := map[string]func(path string, text []byte) error{
		"empty":    func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o666) },
		"half":     func(path string, text []byte) error { return os.WriteFile(path, text[:len(text)/2], 0o666) },
		"cut":      func(path string, text []byte) error { return os.WriteFile(path, text[:len(text)-1], 0o666) },
		"a bit":    func(path string, text []byte) error { text[len(text)/2] ^= 4; return os.WriteFile(path, text, 0o666) },
		"a folder": func(path string, _ []byte) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o777)) },
		"others":   func(path string, _ []byte) error { return WriteValue(path, []int{1, 2}) },
	}
	for name, damage := range damages {
		dir := t.TempDir()
		d := NewSnapshots(dir, Keep(2))
		p := newPractice(1)
		for range 3 {
			p.train(t, p.steps+1, nothing)
			if err := d.Save(p.snapshot()); err != nil {
				t.Fatal(err)
			}
		}
		hurt := filepath.Join(dir, "snapshot-000003.pt")
		text, err := os.ReadFile(hurt)
		if err == nil {
			err = damage(hurt, text)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Resume(p.snapshot())
		var format *FormatError
		if err != nil || p.steps != 2 || filepath.Base(r.Path) != "snapshot-000002.pt" || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Error(), hurt) {
			t.Fatalf("%s: got %+v after %d steps, %v", name, r, p.steps, err)
		}
		if !errors.As(r.Skipped[0], &format) {
			t.Errorf("%s: got %v", name, r.Skipped[0])
		}
		if err := d.Save(p.snapshot()); err != nil {
			t.Fatal(err)
		}
		if got, want := filesIn(t, dir), []string{"snapshot-000002.pt", "snapshot-000003.pt", "snapshot-000004.pt"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		for _, name := range filesIn(t, dir) {
			os.RemoveAll(filepath.Join(dir, name))
			os.WriteFile(filepath.Join(dir, name), []byte("no snapshot"), 0o666)
		}
		if r, err := d.Resume(p.snapshot()); len(r.Skipped) != 3 || !errors.As(err, &format) {
			t.Errorf("%s: none left: got %+v, %v", name, r, err)
		}
		d.Close()
	}
}

// filesIn returns the names of the snapshots and of drafts in a folder.
func filesIn(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".lock" {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestSnapshotsKept(t *testing.T) {
	cases := []struct {
		name     string
		options  []SnapshotsOption
		measures []float64
		want     []string
		best     string
	}{
		{"three", nil, nil, []string{"3", "4", "5"}, "5"},
		{"one", []SnapshotsOption{Keep(1)}, nil, []string{"5"}, "5"},
		{"at least one", []SnapshotsOption{Keep(0)}, nil, []string{"5"}, "5"},
		{"highest", []SnapshotsOption{Keep(1), KeepHighest(true)}, []float64{0.5, 0.9, 0.25, 0.9, 0.125}, []string{"4_0.9", "5_0.125"}, "4_0.9"},
		{"lowest", []SnapshotsOption{Keep(2), KeepLowest(true)}, []float64{1e-7, 2, 3, 4, 5}, []string{"1_1e-07", "4_4", "5_5"}, "1_1e-07"},
		{"not the best", []SnapshotsOption{Keep(1), KeepLowest(true), KeepLowest(false)}, []float64{1, 2, 3, 4, 5}, []string{"5_5"}, "5_5"},
	}
	for _, c := range cases {
		dir := filepath.Join(t.TempDir(), "a", "b")
		d := NewSnapshots(dir, c.options...)
		if best, err := d.Best(); best.Path != "" || err != nil {
			t.Errorf("%s: the best of none is %q, %v", c.name, best, err)
		}
		for i := range 5 {
			var opts []SaveOption
			if c.measures != nil {
				opts = append(opts, Measure(c.measures[i]))
			}
			if err := d.Save(Snapshot{"i": &i}, opts...); err != nil {
				t.Fatal(err)
			}
		}
		file := func(s string) string { return "snapshot-00000" + s + ".pt" }
		var want []string
		for _, s := range c.want {
			want = append(want, file(s))
		}
		if got := filesIn(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", c.name, got, want)
		}
		if best, err := d.Best(); filepath.Base(best.Path) != file(c.best) || err != nil {
			t.Errorf("%s: the best is %+v, %v", c.name, best, err)
		}
		d.Close()
	}
}

// TestDamagedSnapshotsAreNotTheBest damages the snapshots in the order of their measures.
func TestDamagedSnapshotsAreNotTheBest(t *testing.T) {
	dir := t.TempDir()
	d := NewSnapshots(dir, Keep(9), KeepHighest(true))
	defer d.Close()
	for i, measure := range []float64{0.5, math.NaN(), 0.75, 0.25} {
		if err := d.Save(Snapshot{"i": &i}, Measure(measure)); err != nil {
			t.Fatal(err)
		}
	}
	for skipped, name := range []string{"3_0.75", "1_0.5", "4_0.25", "2_NaN"} {
		path := filepath.Join(dir, "snapshot-00000"+name+".pt")
		best, err := NewSnapshots(dir, KeepHighest(true)).Best()
		if err != nil || best.Path != path || len(best.Skipped) != skipped {
			t.Errorf("got %+v, %v, want %s", best, err, name)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var format *FormatError
	if best, err := d.Best(); best.Path != "" || len(best.Skipped) != 4 || !errors.As(err, &format) {
		t.Errorf("none left: got %+v, %v", best, err)
	}
}

func TestSnapshotsOfTwoProcesses(t *testing.T) {
	dir, i := filepath.Join(t.TempDir(), "a[1"), 1
	draft := filepath.Join(dir, ".snapshot-000001.pt.1-00.tmp")
	if err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(draft, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	first, second := NewSnapshots(dir), NewSnapshots(dir)
	if err := first.Save(Snapshot{"i": &i}); err != nil {
		t.Fatal(err)
	}
	if err, locked := second.Save(Snapshot{"i": &i}), second.Lock(); !errors.Is(err, ErrLocked) || !errors.Is(locked, ErrLocked) {
		t.Errorf("got %v and %v, want ErrLocked", err, locked)
	}
	if err := errors.Join(first.Close(), second.Save(Snapshot{"i": &i}), second.Close()); err != nil {
		t.Error(err)
	}
	if got, want := filesIn(t, dir), []string{"snapshot-000001.pt", "snapshot-000002.pt"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestFolderThatIsMadeAgain removes a folder that is locked: its process takes the new one, unless another has it.
func TestFolderThatIsMadeAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps files that are open")
	}
	dir := filepath.Join(t.TempDir(), "run")
	i := 1
	first, second := NewSnapshots(dir), NewSnapshots(dir)
	defer first.Close()
	again := func() {
		t.Helper()
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	save := func(d *Snapshots, want error) {
		t.Helper()
		if err := d.Save(Snapshot{"i": &i}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	save(first, nil)
	again()
	save(first, nil)
	save(second, ErrLocked)
	again()
	save(second, nil)
	save(first, ErrLocked)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	save(first, nil)

	first.disk = hookedDisk{first.disk, func() { again(); save(second, nil) }}
	if err := first.Save(Snapshot{"i": &i}); err == nil || !strings.Contains(err.Error(), "the folder was removed or replaced meanwhile") {
		t.Errorf("got %v for a folder that is replaced while a snapshot is written", err)
	}
	if files := filesIn(t, dir); len(files) != 1 {
		t.Errorf("two processes wrote %q", files)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}

// hookedDisk does something before it creates a file.
type hookedDisk struct {
	disk
	before func()
}

func (h hookedDisk) create(path string, mode os.FileMode) (diskFile, error) {
	h.before()
	return h.disk.create(path, mode)
}

func TestFoldersThatCannotBeWritten(t *testing.T) {
	i := 1
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := NewSnapshots(file).Save(Snapshot{"i": &i}); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a file: got %v", err)
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		return // who may write everywhere
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := NewSnapshots(dir).Save(Snapshot{"i": &i}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a folder to read: got %v", err)
	}
}
