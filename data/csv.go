package data

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Header says whether the first line of a CSV file names its columns.
type Header uint8

const (
	// DetectHeader takes the first line as names where none of its fields is a number.
	DetectHeader Header = iota
	// WithHeader takes the first line as names.
	WithHeader
	// WithoutHeader takes the first line as the first row.
	WithoutHeader
)

// CSVOption is an option of ReadCSV: a Header, or one of those below.
type CSVOption interface{ csv(*csvOptions) }

// csvOptions choose what is read from a file.
type csvOptions struct {
	comma        rune
	header       Header
	columns      []string
	target       string
	missingAsNaN bool
}

type csvOption func(*csvOptions)

func (set csvOption) csv(o *csvOptions) { set(o) }
func (h Header) csv(o *csvOptions)      { o.header = h }

// Comma is what stands between fields, ',' unless given.
func Comma(c rune) CSVOption { return csvOption(func(o *csvOptions) { o.comma = c }) }

// Columns names the columns to read, in this order; unless given they are all but the Target. Columns without a header are
// named "0", "1", ...
func Columns(names ...string) CSVOption { return csvOption(func(o *csvOptions) { o.columns = names }) }

// Target names the column that becomes Targets.
func Target(column string) CSVOption { return csvOption(func(o *csvOptions) { o.target = column }) }

// MissingAsNaN reads a missing value as NaN, which is an error otherwise.
func MissingAsNaN(on bool) CSVOption { return csvOption(func(o *csvOptions) { o.missingAsNaN = on }) }

// ReadCSV reads a table of numbers, decompressing it if it is gzipped. Unless told otherwise it reads every column of a
// comma-separated file and finds out for itself whether there is a header.
func ReadCSV(r io.Reader, opts ...CSVOption) (*Table, error) { return readCSV(r, "", opts) }

// ReadCSVFile reads a CSV file, gzipped or not; path may leave out .gz, or have it where the file does not.
func ReadCSVFile(path string, opts ...CSVOption) (*Table, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readCSV(f, f.Name(), opts)
}

func readCSV(r io.Reader, name string, opts []CSVOption) (*Table, error) {
	o := csvOptions{comma: ','}
	for _, set := range opts {
		set.csv(&o)
	}
	s, err := newSource(r, name)
	if err != nil {
		return nil, err
	}
	c := &csvReader{s: s, lines: csv.NewReader(skipBOM(s)), missingAsNaN: o.missingAsNaN}
	c.lines.ReuseRecord = true
	c.lines.Comma = o.comma
	record, err := c.read()
	if err == io.EOF {
		return nil, c.fail(1, 1, "the file is empty")
	}
	if err != nil {
		return nil, err
	}
	header := o.header == WithHeader || o.header == DetectHeader && isHeader(record)
	if err := c.choose(record, header, o); err != nil {
		return nil, err
	}
	if header {
		record, err = c.read()
	}
	for ; err == nil; record, err = c.read() {
		if err := c.add(record); err != nil {
			return nil, err
		}
	}
	if err != io.EOF {
		return nil, err
	}
	if c.table.Len() == 0 {
		return nil, c.fail(2, 1, "there is a header but no row")
	}
	return &c.table, nil
}

// isHeader reports whether no field is a number and not all are missing.
func isHeader(record []string) bool {
	named := false
	for _, field := range record {
		if _, err := parseNumber(strings.TrimSpace(field)); err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
		named = named || !isMissing(strings.TrimSpace(field))
	}
	return named
}

// parseNumber reads a decimal number. What else strconv takes is no number of a table: 1_0, 0x1p4, inf, nan.
func parseNumber(field string) (float64, error) {
	if strings.Trim(field, "0123456789+-.eE") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(field, 32)
}

// isMissing reports whether a field says that there is no value.
func isMissing(field string) bool {
	switch strings.ToLower(field) {
	case "", "na", "n/a", "nan", "null", "?":
		return true
	}
	return false
}

// csvReader fills a table from the lines of a file.
type csvReader struct {
	s            *source
	lines        *csv.Reader
	table        Table
	picked       []int // the fields that become Columns, then the target's
	missingAsNaN bool
}

// choose fixes the columns from the first line, which names them if header is set.
func (c *csvReader) choose(first []string, header bool, o csvOptions) error {
	names := make([]string, len(first))
	for i, field := range first {
		names[i] = strconv.Itoa(i)
		if header {
			names[i] = strings.TrimSpace(field)
		}
		if at := slices.Index(names[:i], names[i]); at >= 0 {
			line, column := c.lines.FieldPos(i)
			return c.fail(line, column, fmt.Sprintf("fields %d and %d are both named %q", at, i, names[i]))
		}
	}
	pick := func(name string) error {
		i := slices.Index(names, name)
		if i < 0 {
			return c.fail(1, 1, fmt.Sprintf("no column is named %q; there are %q", name, names))
		}
		c.picked = append(c.picked, i)
		return nil
	}
	for _, name := range names {
		if len(o.columns) == 0 && name != o.target {
			c.table.Columns = append(c.table.Columns, name)
		}
	}
	c.table.Columns = append(c.table.Columns, o.columns...)
	if len(c.table.Columns) == 0 {
		return c.fail(1, 1, fmt.Sprintf("no column is left beside the target %q", o.target))
	}
	for _, name := range c.table.Columns {
		if err := pick(name); err != nil {
			return err
		}
	}
	if o.target == "" {
		return nil
	}
	c.table.Target, c.table.Targets = o.target, []float32{}
	return pick(o.target)
}

// add appends one line to the table.
func (c *csvReader) add(record []string) error {
	for at, i := range c.picked {
		v, err := c.number(record, i)
		if err != nil {
			return err
		}
		if at < len(c.table.Columns) {
			c.table.Values = append(c.table.Values, v)
		} else {
			c.table.Targets = append(c.table.Targets, v)
		}
	}
	return nil
}

// number reads field i as a float32.
func (c *csvReader) number(record []string, i int) (float32, error) {
	field := strings.TrimSpace(record[i])
	reason := ""
	switch v, err := parseNumber(field); {
	case isMissing(field) && c.missingAsNaN:
		return float32(math.NaN()), nil
	case isMissing(field):
		reason = fmt.Sprintf("the value is missing (%q)", field)
	case errors.Is(err, strconv.ErrRange):
		reason = fmt.Sprintf("%s is out of the range of float32", field)
	case err != nil:
		reason = fmt.Sprintf("%q is not a number", field)
	default:
		return float32(v), nil
	}
	line, column := c.lines.FieldPos(i)
	return 0, c.fail(line, column, reason)
}

// read returns the next line, io.EOF at the end.
func (c *csvReader) read() ([]string, error) {
	record, err := c.lines.Read()
	var syntax *csv.ParseError
	switch {
	case err == nil || err == io.EOF:
		return record, err
	case errors.Is(err, csv.ErrFieldCount):
		line, _ := c.lines.FieldPos(0)
		return nil, c.fail(line, 1, fmt.Sprintf("%d fields, not %d as in the first line", len(record), c.lines.FieldsPerRecord))
	case errors.As(err, &syntax):
		return nil, &FormatError{File: c.s.name, Line: syntax.Line, Column: syntax.Column, Reason: "broken line", Err: syntax.Err}
	}
	return nil, c.s.fail("cannot read on", err)
}

func (c *csvReader) fail(line, column int, reason string) error {
	return &FormatError{File: c.s.name, Line: line, Column: column, Reason: reason}
}
