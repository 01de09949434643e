package tensor

import (
	"fmt"
	"slices"
	"strings"

	"cresset/device"
	"cresset/internal/op"
)

// failDevices panics with PyTorch's text for operands of an elementwise op on two devices.
func failDevices(name string, first, other device.Device, operands ...argument) {
	failHint(name, ErrDevice, onTwoDevices(first, other), placeHint(operands))
}

// failArgument panics with PyTorch's text for an operand of another op that is not where the first is. The hint may call the
// operands by other names.
func failArgument(name, method, named string, first, other device.Device, operands ...argument) {
	text := fmt.Sprintf("%s (when checking argument for argument %s in method %s)", onTwoDevices(first, other), named, method)
	failHint(name, ErrDevice, text, placeHint(operands))
}

func onTwoDevices(first, other device.Device) string {
	return fmt.Sprintf("Expected all tensors to be on the same device, but found at least two devices, %s and %s!", first, other)
}

// operandNames are what hints call the operands of ops that have more than an x and a y.
var operandNames = map[string][]string{
	op.Where.String():    {"condition", "x", "y"},
	op.SGDStep.String():  {"parameter", "momentum", "gradient"},
	op.AdamStep.String(): {"parameter", "mean", "square", "gradient"},
}

// updateNames are the names of the ops that are updates: steps of optimizers that keep something of each parameter.
var updateNames = func() map[string]bool {
	names := map[string]bool{}
	for _, o := range op.All() {
		names[o.String()] = o.IsUpdate()
	}
	return names
}()

// operandsOf names the operands of an op; those that are nil are left out.
func operandsOf(o string, ts []*Tensor) []argument {
	names := operandNames[o]
	if updateNames[o] {
		names = append([]string{"parameter", "state", "state", "state"}[:len(ts)-1:len(ts)-1], "gradient")
	}
	if len(names) != len(ts) {
		names = []string{"x", "y", "z"}
	}
	var as []argument
	for i, t := range ts {
		if t != nil {
			as = append(as, argument{fmt.Sprintf("operand %d", i), t})
			if i < len(names) {
				as[len(as)-1].name = names[i]
			}
		}
	}
	return as
}

// placeHint tells where the operands are, where they were made if that is traced, and the call that brings them together.
func placeHint(as []argument) string {
	as = slices.DeleteFunc(as, func(a argument) bool { return a.t == nil })
	for i := range as {
		if as[i].name == "self" { // the receiver, which Go does not call so
			as[i].name = "x"
		}
	}
	lines := make([]string, len(as))
	for i, a := range as {
		lines[i] = a.describe()
	}
	if !placement.on.Load() {
		return "operands: " + strings.Join(lines, ", ") + "\n" + mend(as) + "; CRESSET_DEBUG=placement tells where each was made"
	}
	return "operands:\n  " + strings.Join(lines, "\n  ") + "\n" + mend(as)
}

// describe says what an operand is: "y float32[2, 3] on cpu, made by rand at app/main.go:12".
func (a argument) describe() string {
	known := placement.find(a.t.storage)
	text := a.name
	if known.name != "" {
		text += " (" + known.name + ")"
	}
	text += fmt.Sprintf(" %s%s on %s", a.t.dtype.Name(), a.t.layout.Shape().List(), a.t.storage.device)
	if from := known.String(); from != "" {
		text += ", " + from
	}
	return text
}

// mend returns the call that brings operands to one device.
func mend(as []argument) string {
	if text := forgotten(as); text != "" {
		return text
	}
	var parameters, inputs []argument
	for _, a := range as {
		if a.isModel() {
			parameters = append(parameters, a)
		} else {
			inputs = append(inputs, a)
		}
	}
	if len(parameters) == 0 {
		return together(as)
	}
	home := parameters[0].t.storage.device
	for _, p := range parameters[1:] {
		if p.t.storage.device != home {
			return fmt.Sprintf("nn.To(net, %s) moves the whole model: its parameters are on %s and %s",
				goDevice(preferred(append(inputs, parameters...))), home, p.t.storage.device)
		}
	}
	for _, in := range inputs {
		switch dev := in.t.storage.device; {
		case dev == home:
		case stateNames[in.name]:
			return "move the model with nn.To before the optimizer's first step: the optimizer's state stays where it was made"
		case home.IsCPU():
			return fmt.Sprintf("nn.To(net, %s.Device()) moves the model to %s", in.name, dev)
		default:
			return fmt.Sprintf("%s.To(%s.Device()) moves %s to the model on %s", in.name, parameters[0].name, in.name, home)
		}
	}
	return together(as)
}

// stateNames are the operands that an optimizer keeps.
var stateNames = map[string]bool{"state": true, "momentum": true, "mean": true, "square": true}

// together returns the call that moves the first operand that is not where the others should meet.
func together(as []argument) string {
	target := preferred(as)
	at := slices.IndexFunc(as, func(a argument) bool { return a.t.storage.device == target })
	stray := slices.IndexFunc(as, func(a argument) bool { return a.t.storage.device != target })
	if stray < 0 {
		return as[0].name + ".CPU() copies it to the host"
	}
	return fmt.Sprintf("%s.To(%s.Device()) moves %s to %s", as[stray].name, as[at].name, as[stray].name, target)
}

// preferred returns the device on which operands should meet: the first that is no CPU.
func preferred(as []argument) device.Device {
	for _, a := range as {
		if dev := a.t.storage.device; !dev.IsCPU() {
			return dev
		}
	}
	return device.CPU
}

// forgotten finds an operand that To had copied to where all others are, while the old one is used.
func forgotten(as []argument) string {
	for _, a := range as {
		for _, m := range placement.find(a.t.storage).moves {
			if a.t.storage.device == m.to || !a.alone(as, m.to) {
				continue
			}
			text := fmt.Sprintf("%s was copied to %s at %s, but To returns a new tensor and this is the old one: ", a.name, m.to, m.site)
			if a.isModel() {
				return text + fmt.Sprintf("nn.To(net, %s) moves a model in place", goDevice(m.to))
			}
			return text + fmt.Sprintf("%s = %s.To(%s)", a.name, a.name, goDevice(m.to))
		}
	}
	return ""
}

// alone reports whether all other operands are on dev: but for those that move together with a.
func (a argument) alone(as []argument, dev device.Device) bool {
	return !slices.ContainsFunc(as, func(b argument) bool {
		together := b.t.storage == a.t.storage || a.isModel() && b.isModel()
		return !together && b.t.storage.device != dev
	})
}

// isModel reports whether the operand belongs to a model: a frozen one has no parameters, but ops call them so.
func (a argument) isModel() bool { return modelNames[a.name] || a.t.isParameter() }

var modelNames = map[string]bool{"weight": true, "bias": true, "running_mean": true, "running_var": true}

// isParameter reports whether x is a parameter or a view of one.
func (x *Tensor) isParameter() bool {
	return x.parameter || x.view && x.node != nil && len(x.node.edges) == 1 && x.node.edges[0].to != nil && x.node.edges[0].to.leaf != nil
}

// goDevice writes a device as Go does.
func goDevice(dev device.Device) string {
	index, _ := dev.Index()
	switch {
	case dev.IsCPU():
		return "device.CPU"
	case dev.IsCUDA():
		return fmt.Sprintf("device.CUDA(%d)", index)
	default:
		return fmt.Sprintf("device.MustParse(%q)", dev.String())
	}
}
