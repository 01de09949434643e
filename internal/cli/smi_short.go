package cli

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"

	"cresset/smi"
)

// writeShort writes a line for each GPU, as gpustat does: temperature and utilization, memory in MiB, and who holds it.
func writeShort(w io.Writer, gpus []smi.GPU) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for _, g := range gpus {
		var holders []string
		for _, p := range g.Processes {
			memory := "N/A"
			if p.Memory != nil {
				memory = mib(*p.Memory)
			}
			user := cmp.Or(smi.Identify(p).User, "N/A")
			holders = append(holders, fmt.Sprintf("%s:%s/%d(%s)", user, path.Base(told(p.Name)), p.PID, memory))
		}
		if g.ReservedBy != nil {
			holders = append(holders, "reserved by "+g.ReservedBy.String())
		}
		line := fmt.Sprintf("[%d]\t%s\t| %s,\t%s\t| %s\t/ %s\t| %s", g.Index, told(g.Name), number(g.Temperature, " C"), number(g.Utilization, " %"),
			mib(g.Memory.Used), mib(g.Memory.Total), strings.Join(holders, " "))
		if _, err := fmt.Fprintln(t, strings.TrimRight(line, " |\t")); err != nil {
			return err
		}
	}
	return t.Flush()
}
