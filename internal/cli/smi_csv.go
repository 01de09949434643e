package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cresset/smi"
)

// csvForm is what --format says.
type csvForm struct {
	header bool
	units  bool
	absent string // written for what a GPU does not report
}

// readCSVForm reads --format. Its first word must be csv.
func readCSVForm(text, absent string) (csvForm, error) {
	form := csvForm{header: true, units: true, absent: absent}
	words := strings.Split(text, ",")
	csv := false
	for _, word := range words {
		switch strings.TrimSpace(word) {
		case "csv":
			csv = true
		case "noheader":
			form.header = false
		case "nounits":
			form.units = false
		default:
			return form, fmt.Errorf("--format must be csv, csv,noheader, csv,nounits or csv,noheader,nounits, not %q", text)
		}
	}
	if !csv {
		return form, fmt.Errorf("--format must have csv, not only %q", text)
	}
	return form, nil
}

// csvRow is what a line of CSV is about: a GPU, and in a list of programs one of them.
type csvRow struct {
	inventory *smi.Inventory
	attached  int // GPUs of the machine, whatever --id names
	gpu       smi.GPU
	program   smi.Process
}

// csvField is something that can be asked for. Its value is empty or N/A where it is not reported.
type csvField struct {
	name  string // as the header has it
	unit  string
	value func(csvRow) string
	slow  bool // whether it takes the GPU's details

	unasked bool // whether it is always absent
}

// csvFields returns the fields that text names, separated by commas.
func csvFields(text string, known map[string]csvField) ([]csvField, error) {
	var fields []csvField
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		field, ok := known[name]
		if !ok {
			return nil, &smiFailure{fmt.Sprintf("Field \"%s\" is not a valid field to query.\n", smi.Printable(name)), exitUsage}
		}
		fields = append(fields, field)
	}
	return fields, nil
}

// fieldNames lists what is told, sorted.
func fieldNames(known map[string]csvField) string {
	var names []string
	for name, f := range known {
		if !f.unasked {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// writeFieldHelp lists what can be asked for as nvidia-smi does: a line for each field, with the other names that it has.
func writeFieldHelp(w io.Writer, flag string, known map[string]csvField) error {
	others := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		f := known[name]
		if name != f.name {
			others[f.name] = append(others[f.name], strconv.Quote(name))
		}
	}
	text := fmt.Sprintf("List of valid properties to query for the switch \"--%s\":\n", flag)
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if known[name].name == name {
			text += "\n" + strings.Join(append([]string{strconv.Quote(name)}, others[name]...), " or ") + "\n"
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// writeCSV writes a header and a line for each row. Like nvidia-smi it quotes nothing: names have no line breaks here, but
// may have commas.
func writeCSV(w io.Writer, form csvForm, fields []csvField, rows []csvRow, header bool) {
	if form.header && header {
		var heads []string
		for _, f := range fields {
			head := f.name
			if f.unit != "" {
				head += " [" + f.unit + "]"
			}
			heads = append(heads, head)
		}
		fmt.Fprintln(w, strings.Join(heads, ", "))
	}
	for _, row := range rows {
		var values []string
		for _, f := range fields {
			value := smi.Printable(f.value(row))
			switch {
			case value == "", value == notAvailable:
				value = form.absent
			case form.units && f.unit != "":
				value += " " + f.unit
			}
			values = append(values, value)
		}
		fmt.Fprintln(w, strings.Join(values, ", "))
	}
}

// gpuRows and programRows return what a query is about.
func gpuRows(inventory *smi.Inventory, attached int) (rows []csvRow) {
	for _, g := range inventory.GPUs {
		rows = append(rows, csvRow{inventory: inventory, attached: attached, gpu: g})
	}
	return rows
}

func programRows(inventory *smi.Inventory, attached int) (rows []csvRow) {
	for _, g := range inventory.GPUs {
		for _, p := range g.Processes {
			if strings.Contains(p.Type, "C") {
				rows = append(rows, csvRow{inventory, attached, g, p})
			}
		}
	}
	return rows
}

// gpuField is a field about a GPU, and slowField one that takes its details.
//
//go:noinline
func gpuField(name, unit string, value func(smi.GPU) string) csvField {
	return csvField{name: name, unit: unit, value: func(r csvRow) string { return value(r.gpu) }}
}

func slowField(name, unit string, value func(smi.GPU) string) csvField {
	f := gpuField(name, unit, value)
	f.slow = true
	return f
}

func csvWatts(w *float64) string { return written(w, "%.2f") }

func csvMiB(bytes *uint64) string {
	if bytes == nil {
		return notAvailable
	}
	return strconv.FormatUint(*bytes>>20, 10)
}
