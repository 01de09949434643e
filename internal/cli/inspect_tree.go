package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"cresset/tensor"
)

// branch is a part of a name and what begins with it.
type branch struct {
	name     string
	children []*branch
	byName   map[string]*branch
	row      *tensorRow // of a leaf
	tensors  int
	bytes    int64
}

// child returns the branch of a name, which is made where there is none.
func (b *branch) child(name string) *branch {
	if c := b.byName[name]; c != nil {
		return c
	}
	c := &branch{name: name, byName: map[string]*branch{}}
	b.byName[name] = c
	b.children = append(b.children, c)
	return c
}

// grow returns the tree of all names.
func grow(rows []tensorRow) *branch {
	root := &branch{byName: map[string]*branch{}}
	for i := range rows {
		row, at := &rows[i], root
		count := func(b *branch) {
			b.tensors++
			if row.Shares == "" {
				b.bytes += row.Bytes
			}
		}
		count(root)
		for part := range strings.SplitSeq(row.Name, ".") {
			at = at.child(part)
			count(at)
		}
		at.row = row
	}
	return root
}

// folded returns the branch with its name joined to those of only children: layers.0 for a branch that leads to one other.
func (b *branch) folded() *branch {
	for b.row == nil && len(b.children) == 1 {
		only := *b.children[0]
		only.name = b.name + "." + only.name
		b = &only
	}
	return b
}

func (found *inspection) printTree(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n", found.title())
	grow(found.Tensors).print(w, "")
	return w.Flush()
}

// print writes what is in a branch behind the indent of it.
func (b *branch) print(w io.Writer, indent string) {
	for i, c := range b.children {
		c = c.folded()
		turn, down := "├─ ", "│  "
		if i == len(b.children)-1 {
			turn, down = "└─ ", "   "
		}
		if c.row != nil {
			fmt.Fprintf(w, "%s%s%s\t%s\t%s\t%s%s%s\n", indent, turn, label(c.name), printable(c.row.DType), tensor.Shape(c.row.Shape).List(),
				sizeText(c.row.Bytes), c.row.Stats.columns(), c.row.note())
		} else {
			fmt.Fprintf(w, "%s%s%s\t\t%s\t%s\n", indent, turn, label(c.name), plural(c.tensors, "tensor"), sizeText(c.bytes))
		}
		c.print(w, indent+down)
	}
}
