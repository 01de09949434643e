package tensor

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"cresset/device"
)

// deviceLine is a line of a recording that does not tell which call it comes from.
type deviceLine struct {
	times  int           // how often it was printed
	print  func() string // what prints it here; nil where reason says why nothing does
	reason string
}

const (
	afterConstructors = "False False False True None 3 cpu True"

	noAccelerator = "there is no torch.accelerator"
	withoutCUDA   = "torch.cuda of a build without CUDA; package cuda counts GPUs and their memory instead"
)

// deviceLines are the lines of device_strings_torch26_cpuonly.txt after the calls of torch.device, which package device
// asserts.
var deviceLines = map[string]deviceLine{
	afterConstructors: {times: 1, reason: "comparisons and fields of devices: package device asserts them"},
	"device(type='cpu') tensor([1.])": {times: 1, print: func() string {
		x := Ones(1)
		return fmt.Sprintf("%#v %v", x.Device(), x)
	}},
	"device(type='cpu') -1 False": {times: 1, print: func() string {
		x := Ones(1)
		return fmt.Sprintf("%#v -1 %s", x.Device(), python(x.IsCUDA() || x.Device().HasIndex()))
	}},
	"True cuda:1 device(type='cuda')": {times: 1, print: func() string {
		one := device.CUDA(1)
		return fmt.Sprintf("%s %s %#v", python(one == device.MustParse("cuda:1")), one, device.CUDA())
	}},
	"() {} -> tensor([1.]) | str: tensor([1.])": {times: 2, print: func() string {
		x := On(device.MustParse("cpu:0")).Ones(1)
		return fmt.Sprintf("() {} -> %v | str: %v", x, x)
	}},
	"() {} !! AssertionError 'Torch not compiled with CUDA enabled'": {times: 9, reason: withoutCUDA},
	"() {} !! RuntimeError 'Device index must not be negative'": {times: 2, print: func() string {
		return raised("RuntimeError", func() { Ones(1).CUDA(-1) })
	}},
	"() {} !! RuntimeError 'a Tensor with 6 elements cannot be converted to Scalar'": {times: 1, print: func() string {
		return raised("RuntimeError", func() { Ones(2, 3).Item() })
	}},
	"() {} !! NotImplementedError \"Could not run 'aten::empty.memory_format' with arguments from the 'MPS' backend.": {times: 1, print: func() string {
		return raised("NotImplementedError", func() { On(device.MustParse("mps")).Ones(1) })
	}},

	"() {} !! AssertionError 'Torch not compiled with XPU enabled'":                    {times: 1, reason: "as for MPS: XPU has no text of its own"},
	"() {} !! RuntimeError 'Invalid device, must be cuda device'":                      {times: 1, reason: "CUDA takes an index, not a device"},
	"() {} !! RuntimeError 'Cannot access accelerator device when none is available.'": {times: 3, reason: noAccelerator},
	"() {} !! RuntimeError 'PyTorch was compiled without CUDA support'":                {times: 1, reason: withoutCUDA},
	"() {} !! RuntimeError 'Tried to instantiate dummy base class Stream'":             {times: 1, reason: withoutCUDA},
	"() {} !! AttributeError \"module 'torch._C' has no attribute '_cuda_setDevice'\"": {times: 1, reason: withoutCUDA},
	"() {} !! KeyError \"'allocated_bytes.all.current'\"":                              {times: 1, reason: withoutCUDA},
	"() {} -> 0 | str: 0":                         {times: 4, reason: withoutCUDA},
	"() {} -> False | str: False":                 {times: 1, reason: withoutCUDA},
	"() {} -> None | str: None":                   {times: 3, reason: withoutCUDA},
	"() {} -> OrderedDict() | str: OrderedDict()": {times: 1, reason: withoutCUDA},
	"tensor(..., device='meta', size=(2, 3)) meta": {times: 1, print: func() string {
		x := On(device.Meta).Ones(2, 3)
		return fmt.Sprint(x, " ", x.Device())
	}},
	"() {} !! NotImplementedError 'Cannot copy out of meta tensor; no data!'": {times: 3, print: func() string {
		return raised("NotImplementedError", func() { On(device.Meta).Ones(2, 3).CPU() })
	}},
	"() {} !! RuntimeError 'Tensor on device cpu is not on the expected device meta!'": {times: 1, reason: "one text tells of operands on any two devices"},
	"() {} !! RuntimeError 'Tensor.item() cannot be called on meta tensors'": {times: 1, print: func() string {
		return raised("RuntimeError", func() { On(device.Meta).Ones(1).Item() })
	}},
	"() {} !! TypeError \"can't convert meta device type tensor to numpy. Use Tensor.cpu()": {times: 1, print: func() string {
		return raised("TypeError", func() { Data[float32](On(device.Meta).Ones(2, 3)) })
	}},
}

func TestRecordedDevices(t *testing.T) {
	raw, err := os.ReadFile("../device/testdata/device_strings_torch26_cpuonly.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for lines[0] != afterConstructors {
		lines = lines[1:]
	}
	seen := make(map[string]int)
	for _, line := range lines {
		key := keyOf(line)
		known, ok := deviceLines[key]
		if !ok {
			t.Errorf("%q is neither asserted nor omitted with a reason", line)
		}
		seen[key]++
		if known.print == nil {
			continue
		}
		if got := known.print(); !strings.HasPrefix(line, got) {
			t.Errorf("got  %s\nwant %s", got, line)
		}
	}
	for key, line := range deviceLines {
		if seen[key] != line.times {
			t.Errorf("%q comes %d times, want %d", key, seen[key], line.times)
		}
	}
}

// keyOf returns the entry of deviceLines that a line is, or begins with: PyTorch's texts go on with what helps its users.
func keyOf(line string) string {
	if _, ok := deviceLines[line]; ok {
		return line
	}
	for key := range deviceLines {
		if strings.HasPrefix(line, key) {
			return key
		}
	}
	return line
}

// raised prints the mistake of f as the recording prints an exception, up to the end of the text.
func raised(exception string, f func()) string {
	text := fmt.Sprint(Try(f))
	quote := "'"
	if strings.Contains(text, quote) {
		quote = `"`
	}
	return "() {} !! " + exception + " " + quote + text
}
