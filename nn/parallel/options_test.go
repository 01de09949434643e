package parallel_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/nn/parallel"
	"cresset/tensor"
)

func TestOptions(t *testing.T) {
	for want, o := range map[string]parallel.Option{
		"DeviceIDs is empty":                                parallel.DeviceIDs(),
		"Invalid device id 8: there are 8 GPUs":             parallel.DeviceIDs(0, 8),
		"Invalid device id -1":                              parallel.DeviceIDs(-1),
		"Invalid device id 1: it stands in DeviceIDs twice": parallel.DeviceIDs(0, 1, 1),
		"Invalid output device cuda:9":                      parallel.OutputDevice(device.CUDA(9)),
		"Invalid output device xla:0":                       parallel.OutputDevice(device.MustParse("xla:0")),
	} {
		d, err := parallel.NewDataParallel(nn.NewLinear(1, 1), o)
		if err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, tensor.ErrValue) || d != nil {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestMainGPU: the first device has to have all parameters and buffers.
func TestMainGPU(t *testing.T) {
	const head = "module must have its parameters and buffers on device "
	x := tensor.Ones(4, 3)
	oneMoved := nn.To(nn.NewSequential(nn.NewLinear(3, 3), nn.NewLinear(3, 3)), device.CUDA(0))
	nn.To(oneMoved.At(1), device.CUDA(1))
	buffer := nn.To(newCounter(), device.CUDA(0))
	buffer.Rows.SetData(buffer.Rows.To(device.CUDA(3)))
	for _, c := range []struct {
		model nn.Module
		ids   []int
		want  string
	}{
		{nn.To(nn.NewLinear(3, 1), device.CUDA(2)), []int{1, 2}, head + "cuda:1 (device_ids[0]) but found one of them on device: cuda:2"},
		{nn.NewLinear(3, 1), []int{0, 1}, head + "cuda:0 (device_ids[0]) but found one of them on device: cpu"},
		{oneMoved, []int{0, 1}, head + "cuda:0 (device_ids[0]) but found one of them on device: cuda:1"},
		{buffer, []int{0, 1}, head + "cuda:0 (device_ids[0]) but found one of them on device: cuda:3"},
	} {
		d := wrap(t, c.model, parallel.DeviceIDs(c.ids...))
		if err := tensor.Try(func() { d.Forward(x) }); err == nil || err.Error() != c.want || !errors.Is(err, tensor.ErrDevice) {
			t.Errorf("got %v, want %s", err, c.want)
		} else if hint := err.(*tensor.Error).Hint(); hint != fmt.Sprintf("nn.To(model, device.CUDA(%d)) moves it there, before it is wrapped or afterwards", c.ids[0]) {
			t.Errorf("the hint is %q", hint)
		}
		nn.To(d, device.CUDA(c.ids[0]))
		if err := tensor.Try(func() { d.Forward(x) }); err != nil {
			t.Errorf("after To: %v", err)
		}
	}
}

func TestMainGPUIsTheFirstOfTheList(t *testing.T) {
	net := nn.To(nn.NewLinear(3, 2), device.CUDA(1))
	y := wrap(t, net, parallel.DeviceIDs(1, 0)).Forward(tensor.Ones(4, 3))
	if y.Device() != device.CUDA(1) {
		t.Errorf("the result is on %s", y.Device())
	}
	y.Sum().Backward()
	if g := net.Weight.Grad(); g.Device() != device.CUDA(1) || g.At(0, 0).Float64() != 4 {
		t.Errorf("the gradient is %v", g)
	}
}

func TestOneDeviceTakesTheModel(t *testing.T) {
	net := nn.NewLinear(3, 2)
	d := wrap(t, net, parallel.DeviceIDs(2))
	if net.Weight.Device() != device.CUDA(2) {
		t.Errorf("the model is on %s", net.Weight.Device())
	}
	if got, want := d.Forward(tensor.Ones(4, 3)).GradFn(), "AddmmBackward0"; got != want {
		t.Errorf("the result comes from %s, want the model's own result", got)
	}
}

func TestAllGPUsByDefault(t *testing.T) {
	s := newSpy()
	wrap(t, s).Forward(tensor.Ones(16))
	if got, want := s.seen(), strings.TrimSpace(strings.Repeat("[2] ", 8)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestWithoutGPUs calls the model itself, unless GPUs were asked for.
func TestWithoutGPUs(t *testing.T) {
	devicetest.Use(t, "0")
	net := nn.NewLinear(3, 2)
	if got := wrap(t, net).Forward(tensor.Ones(4, 3)); got.GradFn() != "AddmmBackward0" || got.Device() != device.CPU {
		t.Errorf("got %v", got)
	}
	if _, err := parallel.NewDataParallel(net, parallel.DeviceIDs(0)); err == nil || err.Error() != "Invalid device id 0: there are 0 GPUs" {
		t.Errorf("got %v", err)
	}
}

func TestImbalance(t *testing.T) {
	const text = `
    There is an imbalance between your GPUs. You may want to exclude GPU %d which
    has less than 75%% of the memory or cores of GPU %d. You can do so by setting
    the device_ids argument to DataParallel, or by setting the CUDA_VISIBLE_DEVICES
    environment variable.`
	file := filepath.Join(t.TempDir(), "machine.json")
	machine := `{"gpus": [{"preset": "a100"}, {"preset": "gtx1050"}, {"preset": "a100", "multiprocessors": 54}]}`
	if err := os.WriteFile(file, []byte(machine), 0o600); err != nil {
		t.Fatal(err)
	}
	devicetest.Use(t, file)
	for _, c := range []struct {
		ids  []int
		want string
	}{
		{[]int{0, 1}, fmt.Sprintf(text, 1, 0)}, // memory
		{[]int{2, 0}, fmt.Sprintf(text, 2, 0)}, // multiprocessors
		{[]int{1}, ""},
	} {
		var got string
		wrap(t, nn.NewReLU(), parallel.DeviceIDs(c.ids...), parallel.Warn(func(s string) { got += s }))
		if got != c.want {
			t.Errorf("%v: got %q, want %q", c.ids, got, c.want)
		}
	}
}

// TestWalk: what nn does to a model it does to a wrapped one.
func TestWalk(t *testing.T) {
	net := nn.NewSequential(nn.NewLinear(2, 2), nn.NewBatchNorm1D(2), nn.NewDropout(.5))
	d := wrap(t, net, parallel.DeviceIDs(ids(2)...))
	var names []string
	for name := range nn.Parameters(d) {
		names = append(names, name)
	}
	for name := range nn.Buffers(d) {
		names = append(names, name)
	}
	want := []string{"module.0.weight", "module.0.bias", "module.1.weight", "module.1.bias", "module.1.running_mean", "module.1.running_var", "module.1.num_batches_tracked"}
	if !slices.Equal(names, want) {
		t.Errorf("got  %v\nwant %v", names, want)
	}
	if nn.To(d, device.CUDA(0), dtype.Float64) != d || net.At(0).(*nn.Linear).Weight.DType() != dtype.Float64 {
		t.Error("To did not reach the model")
	}
	if nn.Eval(d); net.At(2).(*nn.Dropout).Training() {
		t.Error("Eval did not reach the model")
	}
	if err := nn.LoadState(d, nn.State(d)); err != nil {
		t.Error(err)
	}
	text := "DataParallel(\n  (module): Sequential(\n    (0): Linear(in_features=2, out_features=2, bias=True)\n"
	if !strings.HasPrefix(d.String(), text) || nn.Describe(d) != d.String() {
		t.Errorf("got %s", d)
	}
}
