package hardware

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Variable is the environment variable that asks for simulated GPUs.
const Variable = "CRESSET_SIM"

// Asked returns the value of CRESSET_SIM, and whether it asks for simulated GPUs: an empty one does not.
func Asked() (value string, simulated bool) {
	value = os.Getenv(Variable)
	return value, value != ""
}

// standard is the preset of the GPUs of CRESSET_SIM=2.
const standard = "a100"

// Choose returns the machine that a value of CRESSET_SIM asks for: "2" is two GPUs of the standard preset, "gtx1050" one of
// that preset, "h200:4" four, and anything with a separator or a dot is the path of a hardware file.
func Choose(value string) (*Machine, error) {
	m, err := choose(value)
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", Variable, value, err)
	}
	if m.Source == "" || !strings.ContainsAny(value, `/\.`) {
		m.Source = Variable + "=" + value
	}
	return m, nil
}

func choose(value string) (*Machine, error) {
	if strings.ContainsAny(value, `/\.`) {
		return ReadFile(value)
	}
	if n, err := strconv.Atoi(value); err == nil {
		return Preset(standard, n)
	}
	name, count, several := strings.Cut(value, ":")
	if _, ok := presets()[name]; !ok {
		return nil, fmt.Errorf("want a number of GPUs, a preset (%s) with or without :count, or the path of a hardware file",
			strings.Join(Presets(), ", "))
	}
	n := 1
	if several {
		var err error
		if n, err = strconv.Atoi(count); err != nil {
			return nil, fmt.Errorf("want a number of GPUs after the colon, have %q", count)
		}
	}
	return Preset(name, n)
}
