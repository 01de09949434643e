package device_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"

	"cresset/device"
)

func TestCUDA(t *testing.T) {
	tests := []struct {
		index []int
		want  string // the device, or the panic's text
	}{
		{nil, "cuda"},
		{[]int{0}, "cuda:0"},
		{[]int{127}, "cuda:127"},
		{[]int{-1}, "Device index must not be negative"},
		{[]int{128}, "Device index must not be above 127, but got cuda:128"},
		{[]int{1, 2}, "A device takes at most one index, but got 2"},
	}
	for _, test := range tests {
		d, err := cuda(test.index...)
		got := d.String()
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("CUDA(%v) = %s, want %s", test.index, got, test.want)
		}
	}
}

func TestEquality(t *testing.T) {
	if device.MustParse("cuda:1") != device.CUDA(1) || device.MustParse("cpu") != device.CPU {
		t.Error("the same name gives different devices")
	}
	if device.CUDA() == device.CUDA(0) || device.CPU == device.MustParse("cpu:0") {
		t.Error("a device without index equals the one with index 0")
	}
	var zero device.Device
	if zero != device.CPU || !zero.IsCPU() || zero.IsCUDA() || zero.HasIndex() {
		t.Errorf("the zero device is %#v, want the CPU", zero)
	}
}

func TestIndex(t *testing.T) {
	if index, ok := device.CUDA(3).Index(); index != 3 || !ok || !device.CUDA(3).HasIndex() {
		t.Errorf("CUDA(3).Index() = %d, %v", index, ok)
	}
	if index, ok := device.CUDA().Index(); index != 0 || ok || device.CUDA().HasIndex() {
		t.Errorf("CUDA().Index() = %d, %v", index, ok)
	}
	if got := device.CUDA(3).Type(); got != device.TypeCUDA || got.String() != "cuda" {
		t.Errorf("CUDA(3).Type() = %v", got)
	}
	if got := device.Type(200).String(); got != "unknown" {
		t.Errorf("Type(200) = %s", got)
	}
}

// The order of checks decides which of two faults is told.
func TestOrderOfChecks(t *testing.T) {
	const foreign = "device type at start of device string: gpu"
	tests := []struct{ text, want string }{
		{"gpu:01", "Invalid device string: 'gpu:01'"},
		{"gpu:2147483648", "Could not parse device index '2147483648' in device string 'gpu:2147483648'"},
		{"gpu:300", foreign},
		{"gpu:2147483647", foreign},
	}
	for _, test := range tests {
		if _, err := device.Parse(test.text); err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("Parse(%q): error %v, want ... %s", test.text, err, test.want)
		}
	}
	if _, err := device.New("cuda:300", -1); err == nil || !strings.HasPrefix(err.Error(), "type (string) must not") {
		t.Errorf(`New("cuda:300", -1): error %v, want that of the doubled index`, err)
	}
	if _, err := device.New("gpu", -1); err == nil || !strings.HasSuffix(err.Error(), foreign) {
		t.Errorf(`New("gpu", -1): error %v, want that of the name`, err)
	}
}

func TestMustParsePanics(t *testing.T) {
	defer func() {
		if err, ok := recover().(*device.Error); !ok || err.Device != "cuda:" {
			t.Errorf("MustParse panics with %v, want an *Error about cuda:", err)
		}
	}()
	device.MustParse("cuda:")
}

func TestText(t *testing.T) {
	type config struct {
		Where device.Device            `json:"where"`
		Used  map[device.Device]string `json:"used"`
	}
	in := config{device.CUDA(1), map[device.Device]string{device.CPU: "a lot"}}
	text, err := json.Marshal(in)
	if want := `{"where":"cuda:1","used":{"cpu":"a lot"}}`; err != nil || string(text) != want {
		t.Fatalf("Marshal = %s, %v; want %s", text, err, want)
	}
	var out config
	if err := json.Unmarshal(text, &out); err != nil || out.Where != in.Where || out.Used[device.CPU] != "a lot" {
		t.Errorf("Unmarshal = %v, %v; want %v", out, err, in)
	}
	if err := json.Unmarshal([]byte(`{"where":"cuda:x"}`), &out); err == nil || out.Where != in.Where {
		t.Errorf("Unmarshal of a bad name = %v, error %v; want an error and no change", out.Where, err)
	}

	var d device.Device
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.TextVar(&d, "device", device.CPU, "")
	if err := flags.Parse([]string{"-device", "cuda"}); err != nil || d != device.CUDA() {
		t.Errorf("flag gives %v, %v", d, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "cpu", "cuda:0", "cuda:127", "cuda:128", "gpu:01", "a:9999999999", "cuda:１"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := device.Parse(s)
		if err != nil {
			if err.Error() == "" || d != (device.Device{}) {
				t.Fatalf("Parse(%q) = %v with error %q", s, d, err)
			}
			return
		}
		if d.String() != s {
			t.Fatalf("Parse(%q).String() = %q", s, d.String())
		}
		if index, ok := d.Index(); ok {
			again, err := device.New(d.Type().String(), index)
			if err != nil || again != d {
				t.Fatalf("New(%q, %d) = %v, %v", d.Type(), index, again, err)
			}
		}
	})
}

func ExampleParse() {
	d, err := device.Parse("cuda:1")
	fmt.Println(d, err)
	fmt.Printf("%#v\n", d)
	_, err = device.Parse("cuda:01")
	fmt.Println(err)
	// Output:
	// cuda:1 <nil>
	// device(type='cuda', index=1)
	// Invalid device string: 'cuda:01'
}
