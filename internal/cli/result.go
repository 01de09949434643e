package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"cresset/cuda"
	"cresset/internal/tui/paint"
)

// result is what a training came to; its JSON is the command's --json output.
type result struct {
	Device           string    `json:"device"`
	Simulated        bool      `json:"simulated,omitempty"`
	Dataset          string    `json:"dataset"`
	Model            string    `json:"model"`
	Parameters       int       `json:"parameters"`
	Epochs           int       `json:"epochs"` // that were finished
	TrainLoss        *float64  `json:"train_loss"`
	TestAccuracy     *float64  `json:"test_accuracy"`
	Seconds          float64   `json:"seconds"`
	SamplesPerSecond float64   `json:"samples_per_second"`
	Accuracies       []float64 `json:"accuracy_per_epoch"`
	WorstClass       *int      `json:"worst_class"`
	Optimizer        string    `json:"optimizer"`
	LearningRate     float64   `json:"lr"`
	Batch            int       `json:"batch"`
	Seed             int64     `json:"seed"`
	Train            int       `json:"train_samples"`
	Test             int       `json:"test_samples"`
	Interrupted      bool      `json:"interrupted,omitempty"`

	Transfers *cuda.TransferReport `json:"transfers,omitempty"`

	last   epoch
	losses []float64
}

// take reads what the training has reached.
func (r *result) take(t *training) {
	r.Epochs = len(t.epochly)
	r.Seconds = round(t.seconds, 3)
	if t.seconds > 0 {
		r.SamplesPerSecond = round(float64(t.samples)/t.seconds, 1)
	}
	r.losses = t.losses
	r.Accuracies = make([]float64, len(t.epochly))
	for i, e := range t.epochly {
		r.Accuracies[i] = round(e.Accuracy, 4)
		r.last = e
	}
	if r.Epochs > 0 {
		loss, accuracy := round(r.last.Loss, 6), round(r.last.Accuracy, 4)
		class := worst(r.last.Classes)
		r.TrainLoss, r.TestAccuracy, r.WorstClass = &loss, &accuracy, &class
	}
}

func round(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
}

// print writes the summary for people.
func (r *result) print(w io.Writer) error {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	bold := paint.On(w).Style(paint.Bold)
	fmt.Fprintf(&b, "%s\n", bold.Render(fmt.Sprintf("%s on %s", r.Model, r.Dataset)))
	row("device", "%s", r.Device)
	row("parameters", "%d", r.Parameters)
	row("samples", "%d to train, %d to test", r.Train, r.Test)
	row("optimizer", "%s, lr %v, batch %d, seed %d", r.Optimizer, r.LearningRate, r.Batch, r.Seed)
	row("time", "%.1f s of training, %.0f samples/s", r.Seconds, r.SamplesPerSecond)
	if r.Epochs > 0 {
		row("loss", "%.4f in the last epoch", *r.TrainLoss)
		row("accuracy", "%s", join(r.Accuracies))
		row("worst class", "%d, %.4f", *r.WorstClass, r.last.Classes[*r.WorstClass])
	}
	if r.Interrupted {
		row("interrupted", "after %s, %s", count(r.Epochs, "finished epoch", "s"), count(len(r.losses), "batch", "es"))
	}
	b.WriteString(plot(r.losses, 60, 8))
	if _, err := io.WriteString(w, b.String()); err != nil || r.Transfers == nil {
		return err
	}
	return printTransfers(w, r.Transfers)
}

// join lists accuracies; of more than six it leaves out the middle.
func join(accuracies []float64) string {
	parts := make([]string, len(accuracies))
	for i, a := range accuracies {
		parts[i] = fmt.Sprintf("%.4f", a)
	}
	if n := len(parts); n > 6 {
		parts = slices.Concat(parts[:2], []string{"…"}, parts[n-3:])
	}
	return strings.Join(parts, " → ")
}

func count(n int, noun, plural string) string {
	if n != 1 {
		noun += plural
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// worst returns the class with the lowest accuracy; classes that the test set lacks are passed over.
func worst(classes []float64) int {
	class, accuracy := 0, math.Inf(1)
	for c, a := range classes {
		if a < accuracy {
			class, accuracy = c, a
		}
	}
	return class
}
