package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// The bar and its text take 73 columns or so: in a terminal of 80 there is room for the ^C that it echoes, and in one of
// fewer than narrow columns lines would wrap.
const (
	barWidth = 14
	narrow   = 78
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
	if columns(out) >= narrow {
		p.bar = progressbar.NewOptions64(int64(epochs)*int64(samples),
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(barWidth),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionShowDescriptionAtLineEnd(),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
	}
	return p
}

// columns returns how wide a terminal is, 0 if w is none.
func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// step moves the bar; a bar that cannot be written is not worth failing for.
func (p *progress) step(epoch, samples int, loss float64) {
	if p.bar == nil {
		return
	}
	done := epoch*p.samples + samples
	rate := float64(done) / time.Since(p.start).Seconds()
	left := time.Duration(float64(p.epochs*p.samples-done) / rate * float64(time.Second))
	p.bar.Describe(fmt.Sprintf("epoch %d/%d  loss %.4f  %.0f samples/s  ETA %s", epoch+1, p.epochs, loss, rate, brief(left)))
	_ = p.bar.Set64(int64(done))
}

// brief writes a duration in at most two units.
func brief(d time.Duration) string {
	s := int64(d.Seconds() + 0.5)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 100*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	default:
		return fmt.Sprintf("%dd", s/86400)
	}
}

// judged prints the epoch's line.
func (p *progress) judged(n int, e epoch) {
	p.done()
	fmt.Fprintf(p.out, "epoch %d/%d  loss %.4f  test accuracy %.4f  %.1fs\n", n+1, p.epochs, e.Loss, round(e.Accuracy, 4), time.Since(p.start).Seconds())
}

// done removes the bar.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
