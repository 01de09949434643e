package tensor

import (
	"fmt"
	"io"
	"strings"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
)

// String returns what PyTorch prints for the tensor: its elements, those at the edges where there are many, then what is
// not the default of its device, dtype and gradient record.
func (x *Tensor) String() string {
	x.alive()
	prefix := ""
	if x.parameter {
		prefix = "Parameter containing:\n"
	}
	p := printer{options: currentOptions()}
	return prefix + p.tensor(x)
}

// Format implements fmt.Formatter: %v and %s print String; %.2f and its like print the one element of a tensor without axes,
// integers and booleans as floats, as Python does.
func (x *Tensor) Format(f fmt.State, verb rune) {
	switch {
	case verb == 'v' || verb == 's':
		io.WriteString(f, x.String())
	case x.layout.Rank() == 0 && strings.ContainsRune("eEfFgG", verb) && !x.dtype.IsFloat():
		fmt.Fprintf(f, fmt.FormatString(f, verb), x.Float64())
	case x.layout.Rank() == 0:
		fmt.Fprintf(f, fmt.FormatString(f, verb), x.Item())
	default:
		fmt.Fprintf(f, "%%!%c(*tensor.Tensor=%s)", verb, x.String())
	}
}

// printer writes one tensor.
type printer struct {
	options   PrintOptions
	summarize bool     // axes longer than twice the edge items show their edges only
	cells     []string // what is left to write of the elements, in row-major order
	width     int      // of the widest number
}

const opening = "tensor("

func (p *printer) tensor(x *Tensor) string {
	body := "[]"
	switch {
	case x.storage.device.IsMeta():
		body = "..."
	case x.NumEl() > 0:
		p.summarize = x.NumEl() > p.options.Threshold
		p.cells, p.width = p.options.cells(p.shown(x))
		body = p.block(x.layout.Shape(), len(opening))
	}
	return p.suffixed(opening+body, suffixes(x))
}

// shown returns a tensor with those elements of x that are printed.
func (p *printer) shown(x *Tensor) *Tensor {
	if !p.summarize {
		return x
	}
	return x.edges(p.options.EdgeItems)
}

// elided reports whether an axis shows its edges only.
func (p *printer) elided(extent int) bool { return p.summarize && extent > 2*p.options.EdgeItems }

// block returns the text of the next elements, those of one tensor of the given shape.
func (p *printer) block(shape Shape, indent int) string {
	switch len(shape) {
	case 0:
		return p.take(1)[0]
	case 1:
		return p.row(shape[0], indent)
	}
	var parts []string
	more := func(n int) {
		for range n {
			parts = append(parts, p.block(shape[1:], indent+1))
		}
	}
	if p.elided(shape[0]) {
		more(p.options.EdgeItems)
		parts = append(parts, "...")
		more(p.options.EdgeItems)
	} else {
		more(shape[0])
	}
	return "[" + strings.Join(parts, ","+strings.Repeat("\n", len(shape)-1)+strings.Repeat(" ", indent+1)) + "]"
}

// row returns the text of the next elements along the innermost axis, broken into lines.
func (p *printer) row(n, indent int) string {
	var parts []string
	if p.elided(n) {
		parts = append(parts, p.take(p.options.EdgeItems)...)
		if len(parts) == 0 {
			return "[...]"
		}
		parts = append(parts, " ...") // with a blank of its own, as PyTorch writes it
		parts = append(parts, p.take(p.options.EdgeItems)...)
	} else {
		parts = p.take(n)
	}
	perLine := max(1, (p.options.LineWidth-indent)/(p.width+2))
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range parts {
		switch {
		case i > 0 && i%perLine == 0:
			b.WriteString(",\n" + strings.Repeat(" ", indent+1))
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(s)
	}
	b.WriteByte(']')
	return b.String()
}

func (p *printer) take(n int) []string {
	head := p.cells[:n:n]
	p.cells = p.cells[n:]
	return head
}

// suffixes lists what follows the elements.
func suffixes(x *Tensor) []string {
	var list []string
	if !x.storage.device.IsCPU() {
		list = append(list, "device='"+x.storage.device.String()+"'")
	}
	usual := x.dtype == dtype.Default
	switch {
	case x.storage.device.IsMeta():
		list = append(list, "size="+tuple(x.layout.Shape()))
	case x.NumEl() > 0:
		usual = usual || x.dtype == dtype.Int64 || x.dtype == dtype.Bool
	case x.layout.Rank() != 1:
		list = append(list, "size="+tuple(x.layout.Shape()))
	}
	if !usual {
		list = append(list, "dtype="+x.dtype.String())
	}
	switch {
	case !x.IsLeaf():
		list = append(list, "grad_fn=<"+x.GradFn()+">")
	case x.RequiresGrad():
		list = append(list, "requires_grad=True")
	}
	return list
}

// tuple prints a shape as Python prints a tuple.
func tuple(s Shape) string {
	l := s.List()
	if len(s) == 1 {
		return "(" + l[1:len(l)-1] + ",)"
	}
	return "(" + l[1:len(l)-1] + ")"
}

// suffixed appends suffixes, on lines of their own where they do not fit, and closes the text.
func (p *printer) suffixed(text string, suffixes []string) string {
	width := len(text) - strings.LastIndexByte(text, '\n') + 1
	for _, s := range suffixes {
		if width+len(s)+2 > p.options.LineWidth {
			text += ",\n" + strings.Repeat(" ", len(opening)) + s
			width = len(opening) + len(s)
			continue
		}
		text += ", " + s
		width += len(s) + 2
	}
	return text + ")"
}

// edges returns the first and last n elements of each axis that is longer than both, on the host. Only these are copied.
func (x *Tensor) edges(n int) *Tensor {
	shape := append(Shape{}, x.layout.Shape()...)
	for i, d := range shape {
		shape[i] = min(d, 2*n)
	}
	defer x.hold().leave()
	out := newTensor("print", device.CPU, x.dtype, shape)
	size := x.dtype.Size()
	bytes := elements[uint8](out.storage)
	at := 0
	var copyAxis func(axis, from int)
	copyAxis = func(axis, from int) {
		if axis == len(shape) {
			check("print", ErrDevice, x.storage.backend.CopyOut(bytes[at:at+size], x.storage.buf, from*size), x)
			at += size
			return
		}
		for i := range shape[axis] {
			if i >= n && shape[axis] < x.layout.Shape()[axis] {
				i += x.layout.Shape()[axis] - shape[axis]
			}
			copyAxis(axis+1, from+i*x.layout.Strides()[axis])
		}
	}
	w := watchCopy(x, host, backend.Transfer{To: device.CPU, Bytes: out.layout.Size() * size})
	copyAxis(0, x.layout.Offset)
	w.done(nil)
	return out
}
