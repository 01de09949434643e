package emit

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// vectorBytes is how much a kernel moves at once of the widest of its operands' types.
const vectorBytes = 16

// mostSteps bounds the operations of a kernel's loop: so many that lanes become fewer before a kernel's code outgrows the caches for it.
const mostSteps = 2000

// A Kernel computes a region of one structure, and knows the sizes of one such region.
type Kernel struct {
	Lanes   int    // neighbours that a thread computes at once; operands must be aligned for that
	Vectors uint64 // what there is to compute, Lanes elements each, or rows where these are reduced
	Pieces  int    // how many regions it computes
	Columns int    // of its sums, 0 where there are none
	region  *backend.Region
	space   space
	classes []class // of what is read, then of what is written
	scalars int
	key     string
}

// New returns the kernel of a region, of one element at a time where operands are not aligned for more.
func New(r *backend.Region, aligned bool) (*Kernel, error) {
	k := &Kernel{region: r, space: spaceOf(r.Shape, layoutsOf(r), r.Order.Threads > 0), Lanes: 1, Pieces: 1}
	switch n := k.space.size(); {
	case len(k.space.extents) > maxRank:
		return nil, errors.New("emit: a region has too many axes")
	case n >= math.MaxUint32:
		return nil, errors.New("emit: a region has too many elements")
	}
	for i, l := range layoutsOf(r) {
		c := class{kind: constant}
		if l != nil {
			c = k.space.classOf(i)
		}
		k.classes = append(k.classes, c)
	}
	switch {
	case len(r.Sums) > 0:
		k.Columns = r.Sums[0].Columns
	case k.reduces():
		k.Lanes = k.lanesOfRow(aligned)
	case aligned:
		k.Lanes = k.lanes()
	}
	k.Vectors = k.space.size() / uint64(k.Lanes)
	if k.reduces() {
		k.Vectors = k.space.size() / k.space.extents[0]
	}
	for i := range r.Steps {
		k.scalars += scalarsOf(&r.Steps[i])
	}
	k.key = k.structure()
	return k, nil
}

// Order returns how threads share the rows of a region that reduces them.
func (k *Kernel) Order() backend.RowOrder { return k.region.Order }

// reduces reports whether the region reduces rows.
func (k *Kernel) reduces() bool { return k.region.Order.Threads > 0 }

// lanes is how many neighbours a thread computes at once.
func (k *Kernel) lanes() int {
	widest := 1
	for i := range k.classes {
		if k.classes[i].kind == flat || k.classes[i].kind == strided {
			widest = max(widest, k.dtypeOf(i).Size())
		}
	}
	steps := k.operations()
	lanes := vectorBytes / widest
	for lanes > 1 && (lanes*steps > mostSteps || !k.space.vectors(lanes, k.classes)) {
		lanes /= 2
	}
	return lanes
}

// operations returns how many operations the steps have for an element.
func (k *Kernel) operations() (n int) {
	for i := range k.region.Steps {
		s := &k.region.Steps[i]
		if f := formulaOf(s.Op, s.DType); f != nil {
			n += len(f.steps)
		} else if softmaxes[s.Op] != nil {
			n += len(formulaOf(op.Exp, wideOf(s.DType)).steps)
		}
	}
	return n
}

// dtypeOf returns the dtype of operand i, of what is read first.
func (k *Kernel) dtypeOf(i int) dtype.DType {
	if i < len(k.region.In) {
		return k.region.In[i].DType
	}
	return k.region.Out[i-len(k.region.In)].DType
}

// Key tells kernels of the same text.
func (k *Kernel) Key() string { return k.key }

// Prefix begins the names of all kernels.
const Prefix = "fused_"

// Name is the kernel's name in its text.
func (k *Kernel) Name() string {
	h := fnv.New64a()
	h.Write([]byte(k.key))
	return fmt.Sprintf("%s%016x", Prefix, h.Sum64())
}

// structure describes all that the text depends on.
func (k *Kernel) structure() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d", k.Lanes, len(k.space.extents))
	if o := k.region.Order; k.reduces() {
		fmt.Fprintf(&b, " %dx%d%t", o.Threads, o.Group, o.InTurn)
	}
	for i, c := range k.classes {
		fmt.Fprintf(&b, " %c%x%s", c.kind, c.axes, k.dtypeOf(i))
	}
	for i := range k.region.Steps {
		s := &k.region.Steps[i]
		fmt.Fprintf(&b, " %d:%s%v>%s", s.Op, s.DType, s.From, s.To)
	}
	for i := range k.region.Out {
		fmt.Fprintf(&b, " =%d", k.region.Out[i].Step)
	}
	for i := range k.region.Sums {
		fmt.Fprintf(&b, " +%d%s>%s", k.region.Sums[i].From, k.region.Sums[i].Rounded, k.region.Sums[i].DType)
	}
	return b.String()
}

// scalarsOf returns how many numbers of its own a step reads.
func scalarsOf(s *backend.Step) int {
	if f := formulaOf(s.Op, s.DType); f != nil {
		return f.scalars
	}
	return 0
}

// ConstantType returns the dtype in which the kernel reads constant i: float32 for an operand of a formula on a half type, which is
// computed so.
func ConstantType(r *backend.Region, i int) dtype.DType {
	dt := r.In[i].DType
	for j := range r.Steps {
		s := &r.Steps[j]
		for _, from := range s.From {
			if from == i && s.Op != op.Where && s.Op != op.Copy && (dt == dtype.Float16 || dt == dtype.BFloat16) {
				return dtype.Float32
			}
		}
	}
	return dt
}

// AppendWords appends the kernel's parameters: addresses of what is written and read, the bits of a constant in the place of its address, two numbers
// for each step of which it reads as many as its op has, and what tells the sizes.
func (k *Kernel) AppendWords(words, out, in []uint64, scalars [][2]uint64) []uint64 {
	words = append(words, k.Vectors)
	words = append(words, out...)
	words = append(words, in...)
	for i := range k.region.Steps {
		words = append(words, scalars[i][:scalarsOf(&k.region.Steps[i])]...)
	}
	lanes := uint64(k.Lanes)
	if k.reduces() {
		words, lanes = append(words, k.space.extents[0]), 1
	}
	if !k.walks() {
		return words
	}
	for axis, e := range k.space.extents {
		if axis == 0 {
			e /= lanes
		}
		words = append(words, e)
	}
	for i, c := range k.classes {
		for axis, stride := range k.space.strides[i] {
			if c.goesAlong(axis) {
				if axis == 0 {
					stride *= int64(lanes)
				}
				words = append(words, uint64(stride*int64(k.dtypeOf(i).Size())))
			}
		}
	}
	return words
}

// walks reports whether the kernel finds the place of each element by the indices of its axes.
func (k *Kernel) walks() bool {
	return slices.ContainsFunc(k.classes, func(c class) bool { return c.kind == strided })
}

// Takes reports whether a kernel can have a step with operands and a result of these dtypes.
func Takes(o op.Op, dt dtype.DType, from []dtype.DType, to dtype.DType) bool {
	switch o {
	case op.Copy:
		return len(from) == 1 && dt == to
	case op.Where:
		return len(from) == 3 && from[0] == dtype.Bool && from[1] == dt && from[2] == dt && to == dt
	}
	f := formulaOf(o, dt)
	if f == nil || len(f.operands) != len(from) {
		return false
	}
	for i, dtFrom := range from {
		if f.operands[i] == 'n' && dtFrom != dt || f.operands[i] == 'b' && dtFrom != dtype.Bool {
			return false
		}
	}
	if f.result == 'b' {
		return to == dtype.Bool
	}
	return to == dt
}
