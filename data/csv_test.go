package data

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

var nan = float32(math.NaN())

// equalOrNaN compares numbers, taking a NaN as equal to a NaN.
func equalOrNaN(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return x == y || x != x && y != y })
}

func TestReadCSV(t *testing.T) {
	cases := []struct {
		name    string
		file    string
		options []CSVOption
		columns []string
		values  []float32
		targets []float32
	}{
		{"header", "a,b\n1,2\n3,4\n", nil, []string{"a", "b"}, []float32{1, 2, 3, 4}, nil},
		{"no header", "1,2\n3,4", nil, []string{"0", "1"}, []float32{1, 2, 3, 4}, nil},
		{"numbers as header", "2019,2020\n1,2\n", []CSVOption{WithHeader}, []string{"2019", "2020"}, []float32{1, 2}, nil},
		{"target", "a,y,b\n1,10,2\n3,20,4\n", []CSVOption{Target("y")}, []string{"a", "b"}, []float32{1, 2, 3, 4}, []float32{10, 20}},
		{"target without header", "1,2,3\n", []CSVOption{Target("0")}, []string{"1", "2"}, []float32{2, 3}, []float32{1}},
		{"columns", "a,b,town\n1,2,Oslo\n", []CSVOption{Columns("b", "a")}, []string{"b", "a"}, []float32{2, 1}, nil},
		{"text column without header", "1,Oslo\n", []CSVOption{Columns("0")}, []string{"0"}, []float32{1}, nil},
		{"quotes", "\"a\",\"b, c\"\n\"1\",\"2\"\n", nil, []string{"a", "b, c"}, []float32{1, 2}, nil},
		{"spaces", " a , b \n 1 ,\t-2e3\n", nil, []string{"a", "b"}, []float32{1, -2000}, nil},
		{"byte order mark and CRLF", "\ufeffa,b\r\n1,2\r\n", nil, []string{"a", "b"}, []float32{1, 2}, nil},
		{"semicolons", "a;b\n1;2\n", []CSVOption{Comma(';')}, []string{"a", "b"}, []float32{1, 2}, nil},
		{"missing", "a,b,y\n,NA,1\n?,2,null\n", []CSVOption{Target("y"), MissingAsNaN(true)}, []string{"a", "b"},
			[]float32{nan, nan, nan, 2}, []float32{1, nan}},
		{"missing in the first row", ",NA\n1,2\n", []CSVOption{MissingAsNaN(true)}, []string{"0", "1"}, []float32{nan, nan, 1, 2}, nil},
		{"words for infinity as names", "inf,-Inf\n1,2\n", nil, []string{"inf", "-Inf"}, []float32{1, 2}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReadCSV(strings.NewReader(c.file), c.options...)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Columns, c.columns) {
				t.Errorf("got columns %q, want %q", got.Columns, c.columns)
			}
			if !equalOrNaN(got.Values, c.values) || !equalOrNaN(got.Targets, c.targets) {
				t.Errorf("got %v and %v, want %v and %v", got.Values, got.Targets, c.values, c.targets)
			}
			if want := len(c.values) / len(c.columns); got.Len() != want {
				t.Errorf("got %d rows, want %d", got.Len(), want)
			}
		})
	}
}

func TestReadCSVRefuses(t *testing.T) {
	cases := []struct {
		name    string
		file    string
		options []CSVOption
		want    string
	}{
		{"empty", "", nil, "f.csv:1:1: the file is empty"},
		{"header alone", "a,b\n", nil, "f.csv:2:1: there is a header but no row"},
		{"text", "a,b\n1,2\n3,four\n", nil, `f.csv:3:3: "four" is not a number`},
		{"infinite", "1,inf\n", nil, `f.csv:1:3: "inf" is not a number`},
		{"underscore", "1_0,2\n", nil, `f.csv:1:1: "1_0" is not a number`},
		{"hexadecimal", "a\n0x1p4\n", nil, `f.csv:2:1: "0x1p4" is not a number`},
		{"text in the first row", "1,2,x\n", nil, `f.csv:1:5: "x" is not a number`},
		{"missing", "a,b\n1,\n", nil, `f.csv:2:3: the value is missing ("")`},
		{"NaN", "a,b\nNaN,1\n", nil, `f.csv:2:1: the value is missing ("NaN")`},
		{"range", "1e39\n", nil, "f.csv:1:1: 1e39 is out of the range of float32"},
		{"short line", "1,2\n3\n", nil, "f.csv:2:1: 1 fields, not 2 as in the first line"},
		{"long line", "a,b\n\n1,2\n3,4,5\n", nil, "f.csv:4:1: 3 fields, not 2 as in the first line"},
		{"quote", "a,b\n1,\"2\n", nil, `f.csv:2:6: broken line: extraneous or missing " in quoted-field`},
		{"bare quote", "a,b\n1,2\"\n", nil, `f.csv:2:4: broken line: bare " in non-quoted-field`},
		{"no such target", "a,b\n1,2\n", []CSVOption{Target("y")}, `f.csv:1:1: no column is named "y"; there are ["a" "b"]`},
		{"no such column", "1,2\n", []CSVOption{Columns("7")}, `no column is named "7"; there are ["0" "1"]`},
		{"target alone", "y\n1\n", []CSVOption{Target("y")}, `no column is left beside the target "y"`},
		{"same name", "a,b,a\n1,2,3\n", nil, `f.csv:1:5: fields 0 and 2 are both named "a"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := readCSV(strings.NewReader(c.file), "f.csv", c.options)
			if !errors.As(err, new(*FormatError)) {
				t.Fatalf("got %v, want a *FormatError", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want %q", err, c.want)
			}
		})
	}
	if _, err := ReadCSV(strings.NewReader("x"), WithoutHeader); err == nil || err.Error() != `line 1:1: "x" is not a number` {
		t.Errorf("without a name: got %v", err)
	}
	failing := errors.New("the disk is gone")
	if _, err := ReadCSV(iotest.ErrReader(failing)); !errors.Is(err, failing) || errors.As(err, new(*FormatError)) {
		t.Errorf("got %v, want the reader's own error", err)
	}
}

func TestReadCSVFileGzipped(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "t.csv.gz", gzipped([]byte("a,y\n1,2\n3,4\n5,6\n")))
	table, err := ReadCSVFile(filepath.Join(dir, "t.csv"), Target("y"))
	if err != nil {
		t.Fatal(err)
	}
	first, rest := table.Split(2)
	if first.Len() != 2 || rest.Len() != 1 || rest.Row(0)[0] != 5 || rest.Targets[0] != 6 {
		t.Errorf("got %v and %v", first, rest)
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, file := range []string{"a,b\n1,2\n", "1,2\n3,?\n", "\ufeff\"a\",b\r\n1,\"2\n3\"\n", ",\n,\n", "\x1f\x8b"} {
		f.Add([]byte(file), "b", true)
	}
	f.Fuzz(func(t *testing.T, file []byte, target string, missingAsNaN bool) {
		table, err := ReadCSV(strings.NewReader(string(file)), Target(target), MissingAsNaN(missingAsNaN))
		if err != nil {
			if !errors.As(err, new(*FormatError)) {
				t.Fatalf("%T is not a *FormatError: %v", err, err)
			}
			return
		}
		rows := table.Len()
		if rows == 0 || len(table.Values) != rows*len(table.Columns) || target != "" && len(table.Targets) != rows {
			t.Fatalf("%d rows of %d columns: %d values, %d targets", rows, len(table.Columns), len(table.Values), len(table.Targets))
		}
	})
}
