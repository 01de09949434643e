package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows a training on a terminal as a bar, elsewhere as a line per epoch.
type progress struct {
	out     io.Writer
	epochs  int
	samples int // of one epoch
	bar     *progressbar.ProgressBar
	start   time.Time
}

func newProgress(out io.Writer, epochs, samples int) *progress {
	p := &progress{out: out, epochs: epochs, samples: samples, start: time.Now()}
	if isTerminal(out) {
		p.bar = progressbar.NewOptions(epochs*samples,
			progressbar.OptionSetWriter(out),
			progressbar.OptionShowIts(),
			progressbar.OptionSetItsString("samples"),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(24),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// step moves the bar; a bar that cannot be written is not worth failing for.
func (p *progress) step(epoch, samples int, loss float64) {
	if p.bar == nil {
		return
	}
	p.bar.Describe(fmt.Sprintf("epoch %d/%d  loss %.4f", epoch+1, p.epochs, loss))
	_ = p.bar.Set(epoch*p.samples + samples)
}

// judged prints the epoch's line.
func (p *progress) judged(n int, e epoch) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.out, "epoch %d/%d  loss %.4f  test accuracy %.4f  %.1fs\n", n+1, p.epochs, e.Loss, e.Accuracy, time.Since(p.start).Seconds())
}

// done removes the bar.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
