// Package device names the places where tensors live, in PyTorch's words: "cpu", "cuda", "cuda:1". It knows names only;
// whether such a device exists is for others to say.
package device

import "strconv"

// Device is a place where a tensor lives: a type and perhaps an index. It is comparable, and its zero value is CPU. As in
// PyTorch, cuda and cuda:0 are different values; the first means the current device, whatever that is when it is used.
type Device struct {
	typ Type
	// number is the index plus one; 0 means that there is none.
	number uint8
}

// maxIndex is the largest index. PyTorch stores the index in eight bits too, but lets a larger one wrap around, so that
// cuda:300 becomes cuda:44.
const maxIndex = 127

// CPU is the host, without an index, as tensors on it report it.
var CPU = Device{}

// Meta is the place of tensors that have a shape and a dtype but no elements: they take no memory, and what is computed from
// them costs nothing.
var Meta = Device{typ: TypeMeta}

// CUDA returns the GPU with the given index, or without one the current GPU. An index that is negative or above 127, or a
// second one, panics with an *Error.
func CUDA(index ...int) Device {
	switch len(index) {
	case 0:
		return Device{typ: TypeCUDA}
	case 1:
		d, err := withIndex(TypeCUDA, index[0])
		if err != nil {
			panic(err)
		}
		return d
	}
	panic(&Error{
		Device:  "cuda",
		message: "A device takes at most one index, but got " + strconv.Itoa(len(index)),
	})
}

// New returns the device of the named type with the given index, as torch.device('cuda', 1) does. The error is an *Error.
func New(typ string, index int) (Device, error) {
	t, _, hasIndex, err := parse(typ)
	if err != nil {
		return Device{}, err
	}
	if hasIndex {
		return Device{}, &Error{
			Device:  typ,
			message: "type (string) must not include an index because index was passed explicitly: " + typ,
		}
	}
	return withIndex(t, index)
}

func withIndex(t Type, index int) (Device, error) {
	if index < 0 {
		return Device{}, &Error{Device: t.String(), message: "Device index must not be negative"}
	}
	if index > maxIndex {
		return Device{}, &Error{
			Device: t.String(),
			message: "Device index must not be above " + strconv.Itoa(maxIndex) +
				", but got " + t.String() + ":" + strconv.Itoa(index),
		}
	}
	return Device{typ: t, number: uint8(index + 1)}, nil
}

// Type returns the device's type.
func (d Device) Type() Type { return d.typ }

// Index returns the device's index and true, or 0 and false where it has none.
func (d Device) Index() (index int, ok bool) {
	if d.number == 0 {
		return 0, false
	}
	return int(d.number) - 1, true
}

// HasIndex reports whether the device has an index.
func (d Device) HasIndex() bool { return d.number != 0 }

// IsCPU reports whether the device is the host.
func (d Device) IsCPU() bool { return d.typ == TypeCPU }

// IsCUDA reports whether the device is a GPU.
func (d Device) IsCUDA() bool { return d.typ == TypeCUDA }

// IsMeta reports whether tensors on the device have no elements.
func (d Device) IsMeta() bool { return d.typ == TypeMeta }

// String returns the device's name, "cuda" or "cuda:1".
func (d Device) String() string {
	if index, ok := d.Index(); ok {
		return d.typ.String() + ":" + strconv.Itoa(index)
	}
	return d.typ.String()
}

// GoString returns PyTorch's repr, "device(type='cuda', index=1)", which is what %#v prints.
func (d Device) GoString() string {
	s := "device(type='" + d.typ.String() + "'"
	if index, ok := d.Index(); ok {
		s += ", index=" + strconv.Itoa(index)
	}
	return s + ")"
}

// MarshalText returns the device's name, for flags and JSON.
func (d Device) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText sets d to what Parse makes of text.
func (d *Device) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
