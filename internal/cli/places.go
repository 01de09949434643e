package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"cresset/device"
	"cresset/smi"
)

// placeGPUs says in the rows of GPUs which of the machine's they are, and adds rows for those that CUDA does not show. A
// machine without NVML and driver has none, which is no error.
func placeGPUs(rows []deviceRow) ([]deviceRow, error) {
	inventory, err := smi.Take()
	if inventory == nil {
		if len(rows) == 0 || errors.Is(err, smi.ErrNoGPU) {
			err = nil // why there are none is told already
		}
		return rows, err
	}
	logical, unknown := inventory.Logical()
	if unknown != nil {
		return rows, cmp.Or(err, unknown) // one that is lost is why
	}
	for _, g := range inventory.GPUs {
		n := slices.IndexFunc(logical, func(other smi.GPU) bool { return other.UUID == g.UUID })
		i := -1
		if n >= 0 {
			name := device.CUDA(n).String()
			i = slices.IndexFunc(rows, func(r deviceRow) bool { return r.Device == name })
		}
		if i < 0 {
			rows = append(rows, deviceRow{
				Name: g.Name, Total: int64(g.Memory.Total), Available: int64(g.Memory.Free), Simulated: inventory.Simulated, Hidden: n < 0,
			})
			i = len(rows) - 1
		}
		rows[i].BusID, rows[i].UUID = g.BusID, g.UUID
		if n >= 0 && len(logical[n].Instances) > 0 {
			rows[i].UUID = logical[n].Instances[0].UUID
		}
		if inventory.Source == smi.NVML { // the driver counts only what it shows
			rows[i].Physical = &g.Index
		}
	}
	return rows, nil
}

// printPlaces writes which GPU of the machine each device is.
func printPlaces(w io.Writer, rows []deviceRow) error {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r deviceRow) bool { return r.UUID == "" })
	if len(rows) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nDEVICE\tGPU\tBUS ID\tUUID")
	for _, r := range rows {
		physical := "-"
		if r.Physical != nil {
			physical = fmt.Sprint(*r.Physical)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.place(), physical, smi.Printable(r.BusID), smi.Printable(r.UUID))
	}
	return t.Flush()
}

// place is what programs call a GPU: nothing where CUDA does not show it, or where the driver does not start.
func (r *deviceRow) place() string {
	switch {
	case r.Hidden:
		return "hidden"
	case r.Device == "":
		return "-"
	}
	return r.Device
}
