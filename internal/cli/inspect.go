package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"cresset/checkpoint"
	"cresset/dtype"
	"cresset/tensor"
)

type inspectCommand struct {
	File  string `arg:"" help:"A checkpoint of any format, the index of a sharded set, the folder of one, or a folder of snapshots, of which the newest is taken."`
	Tree  bool   `name:"tree" help:"Show names as a tree, with the sum of each branch."`
	Stats bool   `name:"stats" help:"Read the elements, and tell least, greatest, mean and standard deviation, and how many are NaN or infinite."`
	JSON  bool   `name:"json" help:"Print a JSON object on stdout."`
}

// Help tells what is read.
func (c *inspectCommand) Help() string {
	return `Lists what is in a checkpoint: safetensors, PyTorch's .pt, .pth and .bin, .npy and .npz, found by the content. Nothing
in the file is run, and without --stats no element is read.

Exit codes: 0 done, 1 the file cannot be read, 2 wrong usage, 130 interrupted, 143 terminated.`
}

// inspection is what cresset inspect --json prints.
type inspection struct {
	File     string            `json:"file"`
	Format   checkpoint.Format `json:"format"`
	Tensors  []tensorRow       `json:"tensors"`
	Elements int               `json:"elements"`
	Bytes    int64             `json:"bytes"` // of tensors; what is shared counts once
	Metadata map[string]string `json:"metadata,omitempty"`
	Values   []valueRow        `json:"values,omitempty"` // beside the tensors
	Problems []string          `json:"problems,omitempty"`
}

// tensorRow is a tensor in a file.
type tensorRow struct {
	Name   string      `json:"name"`
	DType  string      `json:"dtype"`
	Shape  []int       `json:"shape"`
	Stride []int       `json:"stride,omitempty"` // where it is not row-major
	Bytes  int64       `json:"bytes"`
	Shares string      `json:"shares,omitempty"` // the first tensor that lies in the same memory
	Stats  *statistics `json:"stats,omitempty"`
}

// Run lists the file.
func (c *inspectCommand) Run(s *session) error {
	path, err := s.wholeIn(c.File)
	if err != nil {
		return err
	}
	f, err := checkpoint.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	found := inspect(path, f)
	if c.Stats {
		if err := found.measure(s, f); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		return json.NewEncoder(s.stdout).Encode(found)
	case c.Tree:
		err = found.printTree(s.stdout)
	default:
		err = found.printTable(s.stdout)
	}
	if err != nil {
		return err
	}
	return found.printRest(s.stdout)
}

// inspect returns what a file says.
func inspect(name string, f *checkpoint.File) *inspection {
	found := &inspection{File: name, Format: f.Format(), Metadata: f.Metadata(), Tensors: []tensorRow{}}
	first := map[int]string{} // of each storage
	for _, e := range f.Entries() {
		row := tensorRow{Name: e.Name, DType: e.DType, Shape: append([]int{}, e.Shape...), Bytes: e.Bytes, Shares: first[e.Storage]}
		if e.Type == dtype.Undefined {
			found.Problems = append(found.Problems, fmt.Sprintf("%s: elements of type %s cannot be read", e.Name, e.DType))
		}
		if _, ok := first[e.Storage]; !ok {
			first[e.Storage] = e.Name
			found.Bytes += e.Bytes
		}
		numel := 1
		for _, n := range e.Shape {
			numel *= n
		}
		found.Elements += numel
		found.Tensors = append(found.Tensors, row)
	}
	values, err := otherValues(f)
	var unknown *checkpoint.DTypeError
	switch {
	case errors.As(err, &unknown):
		found.Problems = append(found.Problems, "the values beside the tensors are not listed")
	case err != nil:
		found.Problems = append(found.Problems, firstLine(err.Error()))
	}
	if found.Values = values.rows; len(values.rows) < values.found || values.visits > maxVisits {
		found.Problems = append(found.Problems, fmt.Sprintf("of the values the first %s are listed", grouped(len(values.rows))))
	}
	return found
}

// measure reads the elements.
func (found *inspection) measure(s *session, f *checkpoint.File) error {
	bar := newFileBar(s.stderr, found.Bytes)
	defer bar.done()
	for i, e := range f.Entries() {
		if e.Type == dtype.Undefined {
			continue
		}
		x, err := f.Tensor(e.Name, s.whileWanted())
		if cannot := new(tensor.Error); errors.As(err, &cannot) { // as for a tensor of too many axes; the others can be read
			found.Problems = append(found.Problems, fmt.Sprintf("%s: %s", e.Name, firstLine(cannot.Error())))
			continue
		}
		if err != nil {
			return err
		}
		stats, err := newStatistics(x, s.stopped)
		x.Release()
		if err != nil {
			return err
		}
		found.Tensors[i].Stats = stats
		if stats.NaN+stats.Inf > 0 {
			found.Problems = append(found.Problems, fmt.Sprintf("%s: %d NaN and %d infinite", e.Name, stats.NaN, stats.Inf))
		}
		bar.add(e.Bytes)
	}
	return nil
}

// whileWanted ends reading or writing when a signal asks the command to stop.
func (s *session) whileWanted() checkpoint.ProgressOption {
	return checkpoint.Progress(func(int64, int64) error { return s.stopped() })
}

// title says what the file is in one line.
func (found *inspection) title() string {
	return fmt.Sprintf("%s: %s, %s, %s, %s", printable(found.File), found.Format, plural(len(found.Tensors), "tensor"), plural(found.Elements, "element"), sizeText(found.Bytes))
}

func (found *inspection) printTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n", found.title())
	if len(found.Tensors) > 0 {
		fmt.Fprintf(w, "\nNAME\tDTYPE\tSHAPE\tSIZE%s\n", statsHeader(found.Tensors))
	}
	for _, row := range found.Tensors {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s%s%s\n", label(row.Name), printable(row.DType), tensor.Shape(row.Shape).List(), sizeText(row.Bytes),
			row.Stats.columns(), row.note())
	}
	return w.Flush()
}

// note says whose memory the tensor lies in.
func (row *tensorRow) note() string {
	if row.Shares == "" {
		return ""
	}
	return "\tshares " + label(row.Shares)
}

// printRest prints what stands beside the tensors.
func (found *inspection) printRest(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	section := func(title string, n int) {
		if n > 0 {
			fmt.Fprintf(w, "\n%s\n", title)
		}
	}
	section("METADATA", len(found.Metadata))
	for _, key := range slices.Sorted(maps.Keys(found.Metadata)) {
		fmt.Fprintf(w, "%s\t%s\n", label(key), printable(found.Metadata[key]))
	}
	section("VALUES", len(found.Values))
	for _, v := range found.Values {
		fmt.Fprintf(w, "%s\t%s\n", label(v.Name), printable(v.Text))
	}
	section("PROBLEMS", len(found.Problems))
	for _, p := range found.Problems {
		fmt.Fprintf(w, "%s\n", printable(p))
	}
	return w.Flush()
}

// printable returns text of a file without what would move the cursor of a terminal.
func printable(text string) string {
	quoted := strconv.Quote(text)
	if inner := quoted[1 : len(quoted)-1]; inner != text && !onlyQuotes(text) {
		return inner
	}
	return text
}

// label returns a name for a table: of one that would make it too wide the two ends. JSON has all.
func label(name string) string {
	const most = 120
	if r := []rune(printable(name)); len(r) > most {
		return string(r[:most/2]) + "…" + string(r[len(r)-most/2:])
	}
	return printable(name)
}

// onlyQuotes reports whether every rune of text can be printed.
func onlyQuotes(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) })
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%s %ss", grouped(n), noun)
}

// grouped writes a number with a comma before every third digit.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// sizeText writes bytes in the unit that fits.
func sizeText(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	case bytes < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	default:
		return fmt.Sprintf("%.2f GiB", float64(bytes)/(1<<30))
	}
}
