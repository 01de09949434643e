package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"cresset/checkpoint"
	"cresset/dtype"
	"cresset/tensor"
)

type diffCommand struct {
	A         string  `arg:"" name:"a" help:"A checkpoint of any format."`
	B         string  `arg:"" name:"b" help:"Another, of any format."`
	Tolerance float64 `name:"tolerance" default:"0" placeholder:"T" help:"Differences up to T count as none."`
	JSON      bool    `name:"json" help:"Print a JSON object on stdout."`
}

// Help tells what is compared.
func (c *diffCommand) Help() string {
	return `Compares tensors by name: which are in one file alone, which have other shapes or dtypes, and the greatest difference of two
elements of each. NaN equals NaN. Of a folder of snapshots the newest that is whole is read.

Exit codes: 0 the same, 1 different or not to be read, 2 wrong usage, 130 interrupted, 143 terminated.`
}

// comparison is what cresset diff --json prints.
type comparison struct {
	A       string       `json:"a"`
	B       string       `json:"b"`
	Same    int          `json:"same"` // tensors
	Differ  []difference `json:"differ"`
	OnlyInA []string     `json:"only_in_a"`
	OnlyInB []string     `json:"only_in_b"`
}

// difference is how a tensor of one file differs from that of the other.
type difference struct {
	Name     string   `json:"name"`
	What     string   `json:"what"`        // "shape", "dtype", "elements", "unread" where a tensor cannot be made
	A        string   `json:"a,omitempty"` // dtype and shape, where they differ
	B        string   `json:"b,omitempty"`
	Elements int      `json:"elements,omitempty"` // that differ
	Greatest *float64 `json:"greatest,omitempty"` // difference of two elements; null where one of them alone is NaN or infinite
	Index    []int    `json:"index,omitempty"`    // where that is
}

// Run compares.
func (c *diffCommand) Run(s *session) error {
	if !(c.Tolerance >= 0) {
		return s.misused(fmt.Sprintf("--tolerance must not be negative but got %v", c.Tolerance), usageHint("diff"))
	}
	var files [2]*checkpoint.File
	for i, path := range []*string{&c.A, &c.B} {
		var err error
		if *path, err = s.wholeIn(*path); err != nil {
			return err
		}
		if files[i], err = checkpoint.Open(*path); err != nil {
			return err
		}
		defer files[i].Close()
	}
	a, b := files[0], files[1]
	found, err := c.compare(s, a, b)
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(s.stdout).Encode(found)
	} else {
		err = found.print(s.stdout)
	}
	if err == nil && len(found.Differ)+len(found.OnlyInA)+len(found.OnlyInB) > 0 {
		return exitCode(exitFailed)
	}
	return err
}

// compare compares the tensors of two files, in the order of the first.
func (c *diffCommand) compare(s *session, a, b *checkpoint.File) (*comparison, error) {
	found := &comparison{A: c.A, B: c.B, Differ: []difference{}, OnlyInA: []string{}, OnlyInB: []string{}}
	other := map[string]checkpoint.Entry{}
	for _, e := range b.Entries() {
		other[e.Name] = e
	}
	var total int64
	for _, e := range a.Entries() {
		total += e.Bytes
	}
	bar := newFileBar(s.stderr, total)
	defer bar.done()
	for _, e := range a.Entries() {
		o, both := other[e.Name]
		if !both {
			found.OnlyInA = append(found.OnlyInA, e.Name)
			continue
		}
		delete(other, e.Name)
		d, err := c.compareTensors(s, a, b, e, o)
		if errors.As(err, new(*tensor.Error)) { // as for a tensor of too many axes; the others can be compared
			d, err = &difference{Name: e.Name, What: "unread", A: kind(e), B: kind(o)}, nil
		}
		if err != nil {
			return nil, err
		}
		if d == nil {
			found.Same++
		} else {
			found.Differ = append(found.Differ, *d)
		}
		bar.add(e.Bytes)
	}
	for _, e := range b.Entries() {
		if _, only := other[e.Name]; only {
			found.OnlyInB = append(found.OnlyInB, e.Name)
		}
	}
	return found, nil
}

// kind returns the dtype and the shape of a tensor.
func kind(e checkpoint.Entry) string {
	name := e.DType
	if e.Type != dtype.Undefined {
		name = e.Type.Name()
	}
	return name + tensor.Shape(e.Shape).List()
}

// compareTensors returns how two tensors differ, nil where they do not.
func (c *diffCommand) compareTensors(s *session, a, b *checkpoint.File, e, o checkpoint.Entry) (*difference, error) {
	if !slices.Equal(e.Shape, o.Shape) {
		return &difference{Name: e.Name, What: "shape", A: kind(e), B: kind(o)}, nil
	}
	if e.Type == dtype.Undefined || o.Type == dtype.Undefined {
		return &difference{Name: e.Name, What: "unread", A: kind(e), B: kind(o)}, nil
	}
	x, err := a.Tensor(e.Name, s.whileWanted())
	if err != nil {
		return nil, err
	}
	defer x.Release()
	y, err := b.Tensor(e.Name, s.whileWanted())
	if err != nil {
		return nil, err
	}
	defer y.Release()
	d, err := greatestDifference(x, y, c.Tolerance, s.stopped)
	if err != nil {
		return nil, err
	}
	if d == nil && c.Tolerance == 0 && e.Type == dtype.Int64 && o.Type == dtype.Int64 && !x.Equal(y) {
		d = &difference{What: "elements", Elements: int(x.Ne(y).Sum().Float64())} // beyond what float64 tells apart
	}
	if e.Type != o.Type {
		if d == nil {
			d = &difference{}
		}
		d.What, d.A, d.B = "dtype", kind(e), kind(o)
	}
	if d != nil {
		d.Name = e.Name
	}
	return d, nil
}

// greatestDifference compares elements as numbers in float64, until stop returns an error; nil where none differ by more than the
// tolerance.
func greatestDifference(x, y *tensor.Tensor, tolerance float64, stop func() error) (*difference, error) {
	d := &difference{What: "elements"}
	greatest, at, n := -1.0, 0, 0
	err := eachPiece(stop, func(pieces ...*tensor.Tensor) {
		left, right := tensor.Values[float64](pieces[0]), tensor.Values[float64](pieces[1])
		for i, v := range left {
			w := right[i]
			gap := math.Abs(v - w)
			switch {
			case v == w || math.IsNaN(v) && math.IsNaN(w) || gap <= tolerance:
				continue
			case math.IsNaN(gap):
				gap = math.Inf(1)
			}
			d.Elements++
			if gap > greatest {
				greatest, at = gap, n+i
			}
		}
		n += len(left)
	}, x, y)
	if err != nil || d.Elements == 0 {
		return nil, err
	}
	d.Greatest, d.Index = finiteOr(greatest), make([]int, x.Dim())
	for axis := x.Dim() - 1; axis >= 0; axis-- {
		d.Index[axis] = at % x.Size(axis)
		at /= x.Size(axis)
	}
	return d, nil
}

// print writes the differences for people.
func (found *comparison) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, name := range found.OnlyInA {
		fmt.Fprintf(w, "%s\tonly in %s\n", label(name), printable(found.A))
	}
	for _, name := range found.OnlyInB {
		fmt.Fprintf(w, "%s\tonly in %s\n", label(name), printable(found.B))
	}
	for _, d := range found.Differ {
		fmt.Fprintf(w, "%s\t%s\n", label(d.Name), d.text())
	}
	fmt.Fprintf(w, "%s the same, %d different, %d in one file alone\n", plural(found.Same, "tensor"), len(found.Differ), len(found.OnlyInA)+len(found.OnlyInB))
	return w.Flush()
}

// text says how a tensor differs.
func (d *difference) text() string {
	text := ""
	if d.A != "" {
		text = printable(d.A + " and " + d.B)
		if d.What == "unread" {
			text += ", which cannot be compared"
		}
		if d.Elements == 0 {
			return text
		}
		text += ", "
	}
	text += plural(d.Elements, "element")
	switch {
	case d.Greatest != nil:
		text += fmt.Sprintf(", by at most %.4g at %v", *d.Greatest, d.Index)
	case d.Index != nil:
		text += fmt.Sprintf(", NaN or infinite in one file at %v", d.Index)
	}
	return text
}
