package checkpoint

import (
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// stateless is an optimizer of a program's own, without a state; counted is one with.
type stateless struct{ group *optim.Group }

func (b *stateless) Step()                  { b.group.LR /= 2 }
func (b *stateless) ZeroGrad()              { b.group.ZeroGrad() }
func (b *stateless) Groups() []*optim.Group { return []*optim.Group{b.group} }

type counted struct{ stateless }

func (c *counted) StateDict() map[string]any { return map[string]any{"lr": c.group.LR} }

func (c *counted) LoadStateDict(state map[string]any) error {
	var ok bool
	if c.group.LR, ok = state["lr"].(float64); !ok {
		return errors.New("there is no rate")
	}
	return nil
}

func newStateless() stateless {
	return stateless{optim.NewGroup(nn.Parameters(nn.NewLinear(1, 1)), 1)}
}

// TestSnapshotOfValues keeps values of many types.
func TestSnapshotOfValues(t *testing.T) {
	type level int
	type values struct {
		Int     int
		Small   int8
		Count   uint
		Seeds   []uint64
		Float   float32
		On      bool
		Text    string
		Level   level
		Losses  []float64
		None    []int
		Pair    [2]float64
		ByName  map[string][]int
		ByIndex map[int]string
		Any     any
		Bytes   []byte
		Tensors map[string]*tensor.Tensor
	}
	want := values{-5, -128, 7, []uint64{1<<63 - 1, 1 << 63, math.MaxUint64}, 0.1, true, "é 你好", 3, []float64{1, 0.1}, nil, [2]float64{0.9, 0.999}, map[string][]int{"a": {1, 2}, "b": {}},
		map[int]string{3: "three", -1: ""}, map[string]any{"x": 1, "y": []any{nil, true, 2.5}}, []byte{0, 255}, nil}
	parts := func(v *values) Snapshot {
		s := Snapshot{}
		for f, field := range reflect.ValueOf(v).Elem().Fields() {
			s[f.Name] = field.Addr().Interface()
		}
		return s
	}
	own, noise := &counted{newStateless()}, tensor.NewGenerator(7)
	own.group.LR = 0.125
	noise.Seed()
	saves := map[string]func(*Snapshots, Snapshot) error{
		"Save":      func(d *Snapshots, s Snapshot) error { return d.Save(s) },
		"SaveAsync": func(d *Snapshots, s Snapshot) error { return d.SaveAsync(s) },
	}
	for name, save := range saves {
		d := NewSnapshots(t.TempDir())
		all := parts(&want)
		all["optimizer"], all["noise"] = own, noise
		if err := errors.Join(save(d, all), d.Close()); err != nil {
			t.Fatal(err)
		}
		var got values
		other, drawn := &counted{newStateless()}, tensor.NewGenerator(0)
		all = parts(&got)
		all["optimizer"], all["noise"] = other, drawn
		if _, err := d.Resume(all); err != nil {
			t.Fatal(err)
		}
		got.None, got.Tensors = nil, nil // empty ones
		if !reflect.DeepEqual(got, want) || other.group.LR != 0.125 || !slices.Equal(drawn.State(), noise.State()) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// TestSnapshotKeepsTiedTensors wants one copy of weights that two layers share, in memory and in the file.
func TestSnapshotKeepsTiedTensors(t *testing.T) {
	net := nn.NewSequential(nn.NewLinear(3, 3, nn.Bias(false)), nn.NewLinear(3, 3, nn.Bias(false)))
	first, second := net.Modules[0].(*nn.Linear), net.Modules[1].(*nn.Linear)
	second.Weight = first.Weight
	d := NewSnapshots(t.TempDir())
	if err := errors.Join(d.SaveAsync(Snapshot{"model": net}), d.Close()); err != nil {
		t.Fatal(err)
	}
	best, err := d.Best()
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(best.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	storages := map[string]int{}
	for _, e := range f.Entries() {
		storages[e.Name] = e.Storage
	}
	if a, ok := storages["model.0.weight"]; !ok || a != storages["model.1.weight"] {
		t.Errorf("the storages are %v", storages)
	}
}

func TestSnapshotRefuses(t *testing.T) {
	own, value := newStateless(), 1
	for want, s := range map[string]Snapshot{
		`a snapshot has the random numbers under "rng", so that no part can have this name`: {"rng": &value},
		`snapshot: "x": a int could not be restored: it has to be a pointer`:                {"x": value},
		`snapshot: "x": nil has no state`:                                                   {"x": nil},
		`snapshot: "x": a *checkpoint.stateless has no StateDict and LoadStateDict`:         {"x": &own},
		`snapshot: "x": a *struct {} has neither tensors nor StateDict and LoadStateDict`:   {"x": &struct{}{}},
		`write DIR/snapshot-000001.pt: x: a value of type chan int cannot be`:               {"x": new(chan int)},
	} {
		dir := t.TempDir()
		d := NewSnapshots(dir)
		err := d.Save(s)
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), filepath.ToSlash(dir), "DIR"), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		d.Close()
	}
}

func TestSnapshotsThatDoNotFit(t *testing.T) {
	d := NewSnapshots(t.TempDir())
	defer d.Close()
	net, value, text, seed := nn.NewLinear(2, 3), 300, "text", uint64(math.MaxUint64)
	opt := optim.NewAdam(nn.Parameters(net))
	if err := d.Save(Snapshot{"model": net, "optimizer": opt, "value": &value, "text": &text, "seed": &seed, "tensor": tensor.Ones(3)}); err != nil {
		t.Fatal(err)
	}
	fit := func(name string, part any) Snapshot {
		s := Snapshot{"model": net, "optimizer": opt, "value": &value, "text": &text, "seed": &seed, "tensor": tensor.Ones(3)}
		s[name] = part
		if part == nil {
			delete(s, name)
		}
		return s
	}
	for want, s := range map[string]Snapshot{
		"Error(s) in loading state_dict for Snapshot:\n\tUnexpected key(s) in state_dict: \"text\". ":  fit("text", nil),
		"Error(s) in loading state_dict for Snapshot:\n\tMissing key(s) in state_dict: \"schedule\". ": fit("schedule", &value),
		`"value": expected int8, but found int`:                                                        fit("value", new(int8)),
		`"seed": expected uint32, but found *big.Int`:                                                  fit("seed", new(uint32)),
		`"seed": expected int64, but found *big.Int`:                                                   fit("seed", new(int64)),
		`"value": expected string, but found int`:                                                      fit("value", new(string)),
		`"value": expected []int, but found int`:                                                       fit("value", new([]int)),
		`"text": the state dict's state should be a tensor of bytes, not text`:                         fit("text", tensor.NewGenerator(0)),
		`"value": expected a dict, but found int`:                                                      fit("value", opt),
		`"tensor": expected a tensor of shape torch.Size([4])`:                                         fit("tensor", tensor.Ones(4)),
		`"optimizer": loaded state dict contains a parameter group that doesn't match`: fit("optimizer",
			optim.NewSGD(nn.Parameters(nn.NewLinear(1, 1, nn.Bias(false))))),
		"\"model\": Error(s) in loading state_dict for Linear:\n\tsize mismatch for weight": fit("model", nn.NewLinear(2, 2)),
	} {
		if _, err := d.Resume(s); err == nil || !strings.Contains(err.Error(), "snapshot-000001.pt: "+want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestSnapshotOnGPUs keeps what is on a GPU, and the random numbers of both.
func TestSnapshotOnGPUs(t *testing.T) {
	devicetest.Simulate(t)
	first, second := device.CUDA(0), device.CUDA(1)
	tensor.ManualSeed(3)
	net := nn.NewLinear(4, 2, nn.On(first))
	opt := optim.NewSGD(nn.Parameters(net), optim.LR(0.1), optim.Momentum(0.9))
	step := func() []float32 {
		opt.ZeroGrad()
		x := tensor.On(first).Rand(3, 4).Add(tensor.On(second).Rand(3, 4).To(first))
		net.Forward(x).Sum().Backward()
		opt.Step()
		return tensor.Values[float32](net.Weight.Detach())
	}
	step()
	d := NewSnapshots(t.TempDir())
	s := Snapshot{"model": net, "optimizer": opt}
	if err := errors.Join(d.SaveAsync(s), d.Close()); err != nil {
		t.Fatal(err)
	}
	want := step()
	tensor.ManualSeed(99)
	step()
	if _, err := d.Resume(s); err != nil {
		t.Fatal(err)
	}
	if got := step(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
