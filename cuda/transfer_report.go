package cuda

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"cresset/device"
)

// TransferReport is what a Transfers has counted.
type TransferReport struct {
	Clock    string    `json:"clock"`    // "modelled" on simulated GPUs, else "measured"
	Ways     []Way     `json:"ways"`     // the sum of each direction
	Routes   []Route   `json:"routes"`   // by the line that asked, the longest time first
	Findings []Finding `json:"findings"` // what could be saved, the longest time first
}

// Way is all that went in one direction.
type Way struct {
	Direction Direction `json:"direction"`
	Tally
}

// Route is what one line of the program copied from one device to another.
type Route struct {
	Site      Site          `json:"site"`
	From      device.Device `json:"from"`
	To        device.Device `json:"to"`
	Direction Direction     `json:"direction"`
	Tally
}

// Direction tells whether a copy starts and ends on the host.
type Direction uint8

// The directions of a copy.
const (
	HostToDevice Direction = iota
	DeviceToHost
	DeviceToDevice
)

// String returns the direction in words: "host to device".
func (d Direction) String() string {
	switch d {
	case HostToDevice:
		return "host to device"
	case DeviceToHost:
		return "device to host"
	default:
		return "device to device"
	}
}

// MarshalText returns the words of String.
func (d Direction) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

func directionOf(from, to device.Device) Direction {
	switch {
	case from.IsCPU():
		return HostToDevice
	case to.IsCPU():
		return DeviceToHost
	default:
		return DeviceToDevice
	}
}

// String returns the report as a table for people, and the findings as sentences below it.
func (r TransferReport) String() string {
	if len(r.Routes) == 0 {
		return "no transfers\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, t Tally) {
		fmt.Fprintf(w, "%d\t%s\t%s\t  %s\n", t.Copies, bytesText(t.Bytes), secondsText(t.Seconds), name)
	}
	fmt.Fprintf(w, "COPIES\tBYTES\tTIME\t  TRANSFERS, %s\n", r.Clock)
	for _, way := range r.Ways {
		row(way.Direction.String(), way.Tally)
	}
	for _, c := range r.Routes {
		row(fmt.Sprintf("%s → %s at %s", c.From, c.To, c.Site), c.Tally)
	}
	w.Flush()
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s: %s\n", f.Kind, f)
	}
	return b.String()
}

func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	default:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
}

func secondsText(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.1f us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.1f ms", s*1e3)
	default:
		return fmt.Sprintf("%.2f s", s)
	}
}
