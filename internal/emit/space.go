package emit

import (
	"cresset/internal/backend"
	"cresset/internal/layout"
)

// maxRank is how many axes a kernel walks, after adjacent ones were merged.
const maxRank = 8

// A space is the indices of a region with as few axes as its operands allow, the innermost first.
type space struct {
	extents []uint64
	strides [][]int64 // of each layout, in elements
}

// spaceOf merges adjacent axes, but for the last one where rows are reduced. The layouts have the shape; nil is one of a constant.
func spaceOf(shape layout.Shape, layouts []*layout.Layout, rows bool) space {
	s := space{strides: make([][]int64, len(layouts))}
	for axis := len(shape) - 1; axis >= 0; axis-- {
		if shape[axis] == 1 {
			continue
		}
		last := len(s.extents) - 1
		if last >= 0 && (last > 0 || !rows) && s.joins(last, axis, layouts) {
			s.extents[last] *= uint64(shape[axis])
			continue
		}
		s.extents = append(s.extents, uint64(shape[axis]))
		for k, l := range layouts {
			stride := int64(0)
			if l != nil {
				stride = int64(l.Strides()[axis])
			}
			s.strides[k] = append(s.strides[k], stride)
		}
	}
	return s
}

// joins reports whether an axis continues the last one in every layout.
func (s *space) joins(last, axis int, layouts []*layout.Layout) bool {
	for k, l := range layouts {
		if l != nil && int64(l.Strides()[axis]) != s.strides[k][last]*int64(s.extents[last]) {
			return false
		}
	}
	return true
}

// A class tells how an operand lies, apart from sizes.
type class struct {
	kind classKind
	axes uint32 // of a strided one: those along which it goes on
}

type classKind byte

const (
	constant classKind = 'c' // a number of the launch's
	uniform  classKind = 'u' // one element for all indices
	flat     classKind = 'f' // in the order of the indices, without gaps
	strided  classKind = 's'
)

// goesAlong reports whether a strided operand's place changes along an axis.
func (c class) goesAlong(axis int) bool { return c.kind == strided && c.axes>>axis&1 == 1 }

// classOf returns the class of operand k.
func (s *space) classOf(k int) class {
	c, step, dense := class{kind: uniform}, int64(1), true
	for axis, stride := range s.strides[k] {
		dense = dense && stride == step
		step *= int64(s.extents[axis])
		if stride != 0 {
			c.axes |= 1 << axis
		}
	}
	switch {
	case c.axes == 0 && len(s.extents) > 0:
	case dense:
		c = class{kind: flat}
	default:
		c.kind = strided
	}
	return c
}

// vectors reports whether so many neighbours along the first axis can be moved at once, as far as strides decide: all operands lie side
// by side there, or have one element for all, and other axes begin where a vector does.
func (s *space) vectors(lanes int, classes []class) bool {
	n := int64(lanes)
	if len(s.extents) == 0 || s.extents[0]%uint64(lanes) != 0 {
		return lanes == 1
	}
	for k, c := range classes {
		if c.kind != strided {
			continue
		}
		for axis, stride := range s.strides[k] {
			if axis == 0 && stride != 0 && stride != 1 || axis > 0 && s.strides[k][0] == 1 && stride%n != 0 {
				return false
			}
		}
	}
	return true
}

// size is the number of indices.
func (s *space) size() uint64 {
	n := uint64(1)
	for _, e := range s.extents {
		n *= e
	}
	return n
}

// layoutsOf returns the layouts of what a region reads, then of what it writes.
func layoutsOf(r *backend.Region) []*layout.Layout {
	var all []*layout.Layout
	for i := range r.In {
		all = append(all, r.In[i].Layout)
	}
	for i := range r.Out {
		all = append(all, r.Out[i].Layout)
	}
	return all
}
