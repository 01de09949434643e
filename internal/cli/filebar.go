package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// fileBar shows on a terminal how much of a large file is done, as a bar; elsewhere nothing.
type fileBar struct {
	out         io.Writer
	moved, all  int64
	shown       bool
	start, last time.Time
}

// patience is how long something takes before a bar tells of it.
const patience = 500 * time.Millisecond

func newFileBar(out io.Writer, bytes int64) *fileBar {
	b := &fileBar{all: bytes, start: time.Now()}
	if columns(out) >= narrow {
		b.out = out
	}
	return b
}

// add moves the bar.
func (b *fileBar) add(bytes int64) { b.at(b.moved+bytes, b.all) }

// at puts the bar somewhere.
func (b *fileBar) at(done, all int64) {
	b.moved, b.all = done, all
	now := time.Now()
	if b.out == nil || all == 0 || now.Sub(b.start) < patience || now.Sub(b.last) < redraw {
		return
	}
	b.last, b.shown = now, true
	full := int(barWidth * done / all)
	rate := float64(done) / now.Sub(b.start).Seconds()
	left := time.Duration(float64(all-done) / max(rate, 1) * float64(time.Second))
	fmt.Fprintf(b.out, "%s%4d%% |%s%s|  %s of %s  %s/s  ETA %s", clearLine, 100*done/all, strings.Repeat("█", full), strings.Repeat(" ", barWidth-full),
		sizeText(done), sizeText(all), sizeText(int64(rate)), brief(left))
}

// done removes the bar.
func (b *fileBar) done() {
	if b.shown {
		fmt.Fprint(b.out, clearLine)
	}
}
