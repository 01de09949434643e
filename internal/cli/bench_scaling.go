package cli

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"cresset/internal/hardware"
	"cresset/internal/roofline"
)

// What --scaling supposes: a decoder of Llama 2's sizes for 7 billion parameters, and machines of eight GPUs as an H100's are joined, by NVLink 4 and a port of 400 Gb/s for each GPU, at nine tenths
// of what their makers say.
var (
	supposedTraining = roofline.Training{Layers: 32, Width: 4096, Hidden: 11008, Vocabulary: 32000, Tokens: 4096, Reached: 0.5}
	supposedNetwork  = roofline.Network{Node: 8, Inside: 0.9 * 450, Between: 0.9 * 50, InsideStart: 5000, BetweenStart: 15000}
)

// scaled is a row of --scaling.
type scaled struct {
	GPUs     int     `json:"gpus"`
	Strategy string  `json:"strategy"`
	Time     float64 `json:"modelled_ns"`
	Memory   float64 `json:"bytes"`
}

// scaling tells how a training step scales to many GPUs, by simulated clocks.
func (c *benchCommand) scaling(s *session) error {
	m, err := hardware.Preset(c.Model, 1)
	if err != nil {
		return err
	}
	g, t, net := &m.GPUs[0], supposedTraining, supposedNetwork
	strategies := []string{"DDP", "ZeRO-1", "ZeRO-2", "ZeRO-3", "TP 8 + DDP"}
	var rows []scaled
	for n := 8; n <= 1024; n *= 2 {
		for i, name := range strategies {
			r := t.Scale(g, net, roofline.Strategy(i), n)
			rows = append(rows, scaled{n, name, r.Time, r.Memory})
		}
	}
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(rows)
	}
	fmt.Fprintf(s.stdout, "%s: %s\n", g.Name, modelNote)
	fmt.Fprintf(s.stdout, "a step of a decoder with %d layers of width %d, %d tokens on each GPU; products reach %g of the peak\n", t.Layers, t.Width, t.Tokens, t.Reached)
	fmt.Fprintf(s.stdout, "%d GPUs in a machine, %g GB/s to each other and %g GB/s each to other machines; %g and %g us for each doubling of ranks\n",
		net.Node, net.Inside, net.Between, net.InsideStart/1e3, net.BetweenStart/1e3)
	fmt.Fprint(s.stdout, "milliseconds of a step, and GB of parameters, gradients and optimizer on a GPU\n\n")
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "GPUS\t")
	for _, name := range strategies {
		fmt.Fprintf(w, "%s\tGB\t", name)
	}
	for i, r := range rows {
		if i%len(strategies) == 0 {
			fmt.Fprintf(w, "\n%d\t", r.GPUs)
		}
		fmt.Fprintf(w, "%.0f\t%.1f\t", r.Time/1e6, r.Memory/1e9)
	}
	fmt.Fprintln(w)
	return w.Flush()
}
