package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"cresset/cuda"
	"cresset/internal/tui/paint"
	"cresset/nn"
)

// result is what a training came to, for people and as --json.
type result interface{ print(w io.Writer) error }

// summary is what every training tells.
type summary struct {
	Device       string   `json:"device"`
	Simulated    bool     `json:"simulated,omitempty"`
	Dataset      string   `json:"dataset"`
	Model        string   `json:"model"`
	Parameters   int      `json:"parameters"`
	TrainLoss    *float64 `json:"train_loss"` // nil without an epoch, and where no loss of the last one was finite
	Seconds      float64  `json:"seconds"`
	Optimizer    string   `json:"optimizer"`
	LearningRate float64  `json:"lr"`
	Batch        int      `json:"batch"`
	Seed         int64    `json:"seed"`
	Interrupted  bool     `json:"interrupted,omitempty"`

	Transfers *cuda.TransferReport `json:"transfers,omitempty"`

	losses []float64
	last   epoch
}

// summary returns what a training has reached.
func (c *trainCommand) summary(t *training) summary {
	s := summary{Device: t.device.String(), Dataset: t.dataset, Model: c.Model, Parameters: nn.CountParameters(t.net), Seconds: round(t.seconds, 3),
		Optimizer: c.optimizerName(), LearningRate: t.optimizer.Groups()[0].InitialLR(), Batch: c.batch() * t.accumulate, Seed: c.Seed, losses: t.losses}
	if n := len(t.epochly); n > 0 {
		s.last = t.epochly[n-1]
		if finite(s.last.Loss) {
			loss := round(s.last.Loss, 6)
			s.TrainLoss = &loss
		}
	}
	return s
}

// rate returns how many of something a second had.
func (s *summary) rate(n int) float64 {
	if s.Seconds <= 0 {
		return 0
	}
	return round(float64(n)/s.Seconds, 1)
}

// rows are the lines of a summary.
type rows struct{ strings.Builder }

func (r *rows) add(name, format string, args ...any) {
	fmt.Fprintf(r, "  %-12s %s\n", name, fmt.Sprintf(format, args...))
}

// begin writes the title and what it was trained on.
func (r *rows) begin(w io.Writer, s *summary) {
	fmt.Fprintf(r, "%s\n", paint.On(w).Style(paint.Bold).Render(fmt.Sprintf("%s on %s", s.Model, s.Dataset)))
	r.add("device", "%s", s.Device)
	r.add("parameters", "%d", s.Parameters)
}

// end writes the rows with the curve of the losses and the transfers.
func (r *rows) end(w io.Writer, s *summary) error {
	r.WriteString(plot(s.losses, 60, 8))
	if _, err := io.WriteString(w, r.String()); err != nil || s.Transfers == nil {
		return err
	}
	return printTransfers(w, s.Transfers)
}

// pictureResult is that of a model that classes pictures.
type pictureResult struct {
	summary
	Epochs           int       `json:"epochs"` // that were finished
	TestAccuracy     *float64  `json:"test_accuracy"`
	SamplesPerSecond float64   `json:"samples_per_second"`
	Accuracies       []float64 `json:"accuracy_per_epoch"`
	WorstClass       *int      `json:"worst_class"`
	Train            int       `json:"train_samples"`
	Test             int       `json:"test_samples"`
}

func (p *pictures) result(t *training, s summary) result {
	r := &pictureResult{summary: s, Epochs: len(t.epochly), SamplesPerSecond: s.rate(t.samples), Train: p.train.Len(), Test: p.test.Len(),
		Accuracies: make([]float64, len(t.epochly))}
	for i, e := range t.epochly {
		r.Accuracies[i] = round(e.Accuracy, 4)
	}
	if r.Epochs > 0 {
		accuracy, class := round(s.last.Accuracy, 4), worst(s.last.Classes)
		r.TestAccuracy, r.WorstClass = &accuracy, &class
	}
	return r
}

// print writes the summary for people.
func (r *pictureResult) print(w io.Writer) error {
	var b rows
	b.begin(w, &r.summary)
	b.add("samples", "%d to train, %d to test", r.Train, r.Test)
	b.add("optimizer", "%s, lr %v, batch %d, seed %d", r.Optimizer, r.LearningRate, r.Batch, r.Seed)
	b.add("time", "%.1f s of training, %.0f samples/s", r.Seconds, r.SamplesPerSecond)
	if r.Epochs > 0 {
		b.add("loss", "%.4f in the last epoch", r.last.Loss)
		b.add("accuracy", "%s", join(r.Accuracies))
		b.add("worst class", "%d, %.4f", *r.WorstClass, r.last.Classes[*r.WorstClass])
	}
	if r.Interrupted {
		b.add("interrupted", "after %s, %s", count(r.Epochs, "finished epoch", "s"), count(len(r.losses), "batch", "es"))
	}
	return b.end(w, &r.summary)
}

func round(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
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
