package device_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cresset/device"
)

// The golden's first part has one line per call of torch.device: arguments, then the result or the exception. This line
// begins what belongs to tensors and to CUDA: package tensor answers for every line from here on.
const endOfConstructors = "False False False True None 3 cpu True"

var (
	goldenLine  = regexp.MustCompile(`^(\(.*?\)) (\{.*?\}) (?:-> (device\(.*?\)) \| str: (.*)|!! (\w+) ['"](.*)['"])$`)
	parseCall   = regexp.MustCompile(`^\('(.*)',\) (\{\}|\{'index': None\})$`)
	newCall     = regexp.MustCompile(`^\('(.*)', (-?\d+)\) \{\}$`)
	keywordCall = regexp.MustCompile(`^\(\) \{'type': '(.*)', 'index': (\d+)\}$`)
	indexCall   = regexp.MustCompile(`^\((-\d+),\) \{\}$`)
)

const tooLarge = "PyTorch wraps the index to eight bits"

// differences are the golden's calls whose result differs here on purpose, or that have no counterpart in Go.
var differences = map[string]struct{ reason, want string }{
	"('cuda:128',) {}": {tooLarge, "Device index must not be above 127, but got cuda:128"},
	"('cuda:255',) {}": {tooLarge, "Device index must not be above 127, but got cuda:255"},
	"('cuda:256',) {}": {tooLarge, "Device index must not be above 127, but got cuda:256"},
	"('cuda:300',) {}": {tooLarge, "Device index must not be above 127, but got cuda:300"},
	"('cuda', 200) {}": {tooLarge, "Device index must not be above 127, but got cuda:200"},

	"(1,) {}":                              {reason: "an index alone is device.CUDA(1), which asks for no GPU"},
	"(None,) {}":                           {reason: "Go's compiler refuses the type"},
	"(1.0,) {}":                            {reason: "Go's compiler refuses the type"},
	"() {}":                                {reason: "Go's compiler refuses the call"},
	"('cuda', True) {}":                    {reason: "Go's compiler refuses the type"},
	"(True,) {}":                           {reason: "Go's compiler refuses the type"},
	"('cuda', '1') {}":                     {reason: "Go's compiler refuses the type"},
	"(device(type='cuda', index=1),) {}":   {reason: "a Device is a value already"},
	"(device(type='cuda', index=1), 1) {}": {reason: "Go's compiler refuses the type"},
}

func TestGolden(t *testing.T) {
	golden, err := os.ReadFile("testdata/device_strings_torch26_cpuonly.txt")
	if err != nil {
		t.Fatal(err)
	}
	calls, _, found := strings.Cut(string(golden), endOfConstructors)
	if !found {
		t.Fatalf("golden has no line %q", endOfConstructors)
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(calls) {
		m := goldenLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("cannot read golden line %q", line)
		}
		call, repr, str, message := m[1]+" "+m[2], m[3], m[4], m[6]
		seen[call] = true
		difference, differs := differences[call]
		got, ok, err := construct(call)
		if ok == (differs && difference.want == "") {
			t.Errorf("%s: has a counterpart = %v, but the listed difference is %q", call, ok, difference.reason)
		}
		if !ok {
			continue
		}
		if differs {
			repr, message = "", difference.want
		}
		if repr != "" {
			if err != nil || fmt.Sprintf("%#v", got) != repr || fmt.Sprint(got) != str {
				t.Errorf("%s = %#v, %s, error %v; want %s, %s", call, got, got, err, repr, str)
			}
			continue
		}
		var typed *device.Error
		if !errors.As(err, &typed) || err.Error() != message {
			t.Errorf("%s: error %v, want %s", call, err, message)
		}
	}
	for call := range differences {
		if !seen[call] {
			t.Errorf("difference %s is not in the golden", call)
		}
	}
}

// construct makes the Go call that stands for a line's Python call; ok is false where there is none.
func construct(call string) (d device.Device, ok bool, err error) {
	if m := parseCall.FindStringSubmatch(call); m != nil {
		d, err = device.Parse(m[1])
		return d, true, err
	}
	if m := indexCall.FindStringSubmatch(call); m != nil {
		index, _ := strconv.Atoi(m[1])
		d, err = cuda(index)
		return d, true, err
	}
	m := newCall.FindStringSubmatch(call)
	if m == nil {
		m = keywordCall.FindStringSubmatch(call)
	}
	if m == nil {
		return device.Device{}, false, nil
	}
	index, _ := strconv.Atoi(m[2])
	d, err = device.New(m[1], index)
	return d, true, err
}

// cuda is device.CUDA with its panic as an error.
func cuda(index ...int) (d device.Device, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(*device.Error)
		}
	}()
	return device.CUDA(index...), nil
}
