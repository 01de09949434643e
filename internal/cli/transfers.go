package cli

import (
	"io"
	"strings"

	"cresset/cuda"
	"cresset/internal/tui/paint"
)

// traceTransfers starts to count copies where it was asked for; otherwise it returns nil.
func (c *trainCommand) traceTransfers() *cuda.Transfers {
	if c.Trace != "transfers" {
		return nil
	}
	return cuda.TraceTransfers()
}

// printTransfers writes a report for people: the heads of the table and of the findings stand out.
func printTransfers(w io.Writer, r *cuda.TransferReport) error {
	bold := paint.On(w).Style(paint.Bold)
	head, rest, _ := strings.Cut(r.String(), "\n")
	for _, f := range r.Findings {
		kind := string(f.Kind) + ":"
		rest = strings.ReplaceAll(rest, "\n"+kind, "\n"+bold.Render(kind))
	}
	_, err := io.WriteString(w, bold.Render(head)+"\n"+rest)
	return err
}
