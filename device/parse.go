package device

import (
	"strconv"
	"strings"
)

// An Error tells why a device cannot be named so.
type Error struct {
	Device  string // the text or type that was given
	message string
}

// Error returns the message, in PyTorch's words where PyTorch has any.
func (e *Error) Error() string { return e.message }

// Parse returns the device that s names, such as "cpu", "cuda" or "cuda:1". It takes what torch.device takes, but refuses an
// index above 127, which PyTorch wraps around. The error is an *Error.
func Parse(s string) (Device, error) {
	t, index, hasIndex, err := parse(s)
	if err != nil {
		return Device{}, err
	}
	if !hasIndex {
		return Device{typ: t}, nil
	}
	return withIndex(t, index)
}

// MustParse is like Parse but panics with the error.
func MustParse(s string) Device {
	d, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return d
}

// parse splits s into its parts. The checks come in PyTorch's order, because the first that fails decides the message.
func parse(s string) (t Type, index int, hasIndex bool, err error) {
	if s == "" {
		return 0, 0, false, &Error{message: "Device string must not be empty"}
	}
	name, digits, hasIndex := strings.Cut(s, ":")
	if !isName(name) || hasIndex && !isNumber(digits) {
		return 0, 0, false, &Error{Device: s, message: "Invalid device string: '" + s + "'"}
	}
	if hasIndex {
		n, err := strconv.ParseInt(digits, 10, 32) // a C int
		if err != nil {
			return 0, 0, false, &Error{
				Device:  s,
				message: "Could not parse device index '" + digits + "' in device string '" + s + "'",
			}
		}
		index = int(n)
	}
	t, ok := typeNamed(name)
	if !ok {
		return 0, 0, false, &Error{
			Device: s,
			message: "Expected one of " + strings.Join(typeNames[:], ", ") +
				" device type at start of device string: " + name,
		}
	}
	return t, index, hasIndex, nil
}

// isName reports whether s is one or more ASCII letters or underscores.
func isName(s string) bool {
	for _, c := range []byte(s) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}

// isNumber reports whether s is a decimal number without leading zeros.
func isNumber(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s == "0" || s != "" && s[0] != '0'
}
