package tensor

import (
	"fmt"
	"slices"
	"strings"
)

// label names an axis in an equation of Einsum: a letter, or, for those of the ellipsis, -1 for the last, -2 for the one before.
type label int

// equation is what Einsum's text says of given operands.
type equation struct {
	inputs  [][]label
	output  []label
	extents map[label]int
	dots    int // axes of the ellipsis
}

// ellipsis stands for the ellipsis until its axes are known.
const ellipsis label = 0

const output = "output" // what errors call the right side of an equation

func failEinsum(format string, args ...any) {
	fail("einsum", ErrShape, "einsum(): "+fmt.Sprintf(format, args...))
}

func parseEinsum(text string, operands []*Tensor) *equation {
	if len(operands) == 0 {
		failEinsum("must specify the equation string and at least one operand, or at least one operand and its subscripts list")
	}
	left, right, explicit := strings.Cut(text, "->")
	eq := &equation{extents: make(map[label]int)}
	at := 0
	for i, part := range strings.Split(left, ",") {
		if i == len(operands) {
			failEinsum("fewer operands were provided than specified in the equation")
		}
		eq.inputs = append(eq.inputs, parseSubscripts(part, at, fmt.Sprintf("operand %d", i)))
		at += len(part) + 1
	}
	if len(eq.inputs) < len(operands) {
		failEinsum("more operands were provided than specified in the equation")
	}
	for i, x := range operands {
		eq.countDots(i, x)
	}
	for i, x := range operands {
		eq.measure(i, x)
	}
	if explicit {
		eq.output = eq.expand(parseSubscripts(right, len(left)+2, output), eq.dots)
		eq.checkOutput()
	} else {
		eq.output = eq.implicit()
	}
	return eq
}

// parseSubscripts reads letters and at most one ellipsis; offset is where the text stands in the equation.
func parseSubscripts(text string, offset int, of string) (labels []label) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ':
		case c == '.' && slices.Contains(labels, ellipsis) && of == output:
			failEinsum("found '.' for output but an ellipsis (...) was already found")
		case c == '.' && slices.Contains(labels, ellipsis):
			failEinsum("found '.' for %s for which an ellipsis was already found", of)
		case c == '.' && !strings.HasPrefix(text[i:], "...") && of == output:
			failEinsum("found '.' for output that is not part of any ellipsis (...)")
		case c == '.' && !strings.HasPrefix(text[i:], "..."):
			failEinsum("found '.' for %s that is not part of any ellipsis", of)
		case c == '.':
			labels = append(labels, ellipsis)
			i += 2
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			labels = append(labels, label(c))
		default:
			failEinsum("invalid subscript given at index %d in the equation string, subscripts must be in [a-zA-Z]", offset+i)
		}
	}
	return labels
}

// countDots checks how many axes operand i has, and finds how many the ellipsis stands for.
func (eq *equation) countDots(i int, x *Tensor) {
	letters, rank := len(eq.inputs[i]), x.layout.Rank()
	if slices.Contains(eq.inputs[i], ellipsis) {
		if letters--; letters > rank {
			failEinsum("the number of subscripts in the equation (%d) is more than the number of dimensions (%d) for operand %d", letters, rank, i)
		}
		eq.dots = max(eq.dots, rank-letters)
	} else if letters != rank {
		failEinsum("the number of subscripts in the equation (%d) does not match the number of dimensions (%d) for operand %d and no ellipsis was given",
			letters, rank, i)
	}
}

// measure gives each axis of operand i its label, and each label its extent.
func (eq *equation) measure(i int, x *Tensor) {
	labels := eq.inputs[i]
	labels = eq.expand(labels, x.layout.Rank()-len(labels)+1)
	eq.inputs[i] = labels
	for k, l := range labels {
		n := x.layout.Shape()[k]
		if first := slices.Index(labels, l); first < k {
			if was := x.layout.Shape()[first]; was != n {
				failEinsum("subscript %c is repeated for operand %d but the sizes don't match, %d != %d", rune(l), i, n, was)
			}
			continue
		}
		was, seen := eq.extents[l]
		switch {
		case !seen || was == 1:
			eq.extents[l] = n
		case n != 1 && n != was && l < 0:
			failEinsum("dimension %d covered by ellipsis in operand %dhas size %d which does not broadcast with previously seen ellipsis with size %d "+
				"for the respective dimension", k, i, n, was) // the missing space is PyTorch's
		case n != 1 && n != was:
			failEinsum("subscript %c has size %d for operand %d which does not broadcast with previously seen size %d", rune(l), n, i, was)
		}
	}
}

// expand puts the labels of n axes in the place of the ellipsis.
func (eq *equation) expand(labels []label, n int) []label {
	at := slices.Index(labels, ellipsis)
	if at < 0 {
		return labels
	}
	var dots []label
	for k := range n {
		dots = append(dots, label(k-n))
	}
	return slices.Concat(labels[:at], dots, labels[at+1:])
}

func (eq *equation) checkOutput() {
	for i, l := range eq.output {
		if _, known := eq.extents[l]; !known {
			failEinsum("output subscript %c does not appear in the equation for any input operand", rune(l))
		}
		if slices.Contains(eq.output[:i], l) {
			failEinsum("output subscript %c appears more than once in the output", rune(l))
		}
	}
}

// implicit returns the axes of the ellipsis and then the letters that stand once.
func (eq *equation) implicit() []label {
	times := make(map[label]int)
	for _, labels := range eq.inputs {
		for _, l := range labels {
			times[l]++
		}
	}
	var once []label
	for l, n := range times {
		if l < 0 || n == 1 {
			once = append(once, l)
		}
	}
	slices.Sort(once)
	return once
}
