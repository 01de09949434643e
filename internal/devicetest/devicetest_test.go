package devicetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/tensor"
)

func TestNamed(t *testing.T) {
	for list, want := range map[string][]device.Device{
		"cpu":       {device.CPU},
		"cpu, cpu ": {device.CPU, device.CPU},
	} {
		if got, err := named(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v; want %v", list, got, err, want)
		}
	}
	for _, list := range []string{"", " ", "gpu", "cpu,", ",", "cpu;cuda"} {
		if got, err := named(list); err == nil {
			t.Errorf("%q: got %v, want an error", list, got)
		}
	}
}

func TestDeviceThatIsNamedAndMissingFails(t *testing.T) {
	_, err := named("cpu,xla:7")
	if !errors.Is(err, tensor.ErrDevice) || !strings.Contains(err.Error(), "names xla:7") {
		t.Errorf("got %v", err)
	}
}

func TestRunNamesTheSubtest(t *testing.T) {
	t.Setenv(variable, "cpu")
	var names []string
	Run(t, func(t *testing.T, dev device.Device) { names = append(names, t.Name()) })
	if want := []string{"TestRunNamesTheSubtest/cpu"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}
