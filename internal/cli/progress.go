package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// The bar and its text take 73 columns or so: in a terminal of 80 there is room for the ^C that it echoes, and in one of
// fewer than narrow columns lines would wrap.
const (
	barWidth = 14
	narrow   = 78
	redraw   = 100 * time.Millisecond // at the earliest
)

const clearLine = "\x1b[2K\r"

// progress shows a training on a terminal as a bar, elsewhere as a line whenever the model is judged.
type progress struct {
	out    io.Writer
	all    int                    // samples of the whole training
	before int                    // samples that a training before has seen
	unit   string                 // of the rate: samples, or tokens
	each   int                    // units in a sample
	at     func(epoch int) string // where it is
	judge  func(e epoch) string   // what came out
	bar    bool
	start  time.Time
	drawn  time.Time // the last time that the bar was
}

func newProgress(out io.Writer, all, before int) *progress {
	return &progress{out: out, all: all, before: before, bar: columns(out) >= narrow, start: time.Now()}
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
	if !p.bar || time.Since(p.drawn) < redraw {
		return
	}
	p.drawn = time.Now()
	done, all := float64(samples), float64(p.all)
	rate := (done - float64(p.before)) / p.drawn.Sub(p.start).Seconds()
	left := time.Duration((all - done) / rate * float64(time.Second))
	full := int(barWidth * done / all)
	fmt.Fprintf(p.out, "%s%4.0f%% |%s%s|  %s  loss %.4f  %.0f %s/s  ETA %s", clearLine, math.Floor(100*done/all),
		strings.Repeat("█", full), strings.Repeat(" ", barWidth-full), p.at(epoch), loss, rate*float64(p.each), p.unit, brief(left))
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

// judged prints what an epoch came to.
func (p *progress) judged(n int, e epoch) {
	p.done()
	fmt.Fprintf(p.out, "%s  loss %.4f  %s  %.1fs\n", p.at(n), e.Loss, p.judge(e), time.Since(p.start).Seconds())
	if e.Sample != "" {
		fmt.Fprint(p.out, excerpt(e.Sample))
	}
}

// done removes the bar.
func (p *progress) done() {
	if p.bar {
		fmt.Fprint(p.out, clearLine)
	}
}
