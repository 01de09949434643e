package tui

import (
	"context"
	"iter"
	"os"
	"os/signal"
	"sync"
)

// Screen is what Run shows.
type Screen interface {
	Resize(width, height int)
	Take(Look)
	Press(Key) Action
	View() string // lines that fit the size
}

// Action is what a key asks of Run.
type Action int

// Actions.
const (
	Stay Action = iota
	Quit
	Suspend // the process, as Ctrl-Z does elsewhere
)

// Run shows a screen on a terminal and gives it the looks and keys as they come, until one quits or ctx ends, which it
// returns as ctx's error. However it ends, in a panic of the screen too, the terminal is as it was. watch is called with a
// context that ends with the view, and Run waits for it.
func Run(ctx context.Context, screen Screen, watch func(context.Context) iter.Seq[Look], in, out *os.File) error {
	t := &terminal{in: in, out: out}
	if err := t.open(); err != nil {
		return err
	}
	defer t.close()

	shown, end := context.WithCancel(ctx)
	var sources sync.WaitGroup
	defer sources.Wait()
	defer end()
	looks, keys := make(chan Look), make(chan Key)
	sources.Go(func() {
		for look := range watch(shown) {
			if !send(shown, looks, look) {
				return
			}
		}
	})
	stop, err := t.readKeys(func(k Key) bool { return send(shown, keys, k) })
	if err != nil {
		return err
	}
	defer stop()
	defer end()
	resized := make(chan os.Signal, 1)
	notifyResized(resized)
	defer signal.Stop(resized)

	for {
		if err := t.draw(screen); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case look := <-looks:
			screen.Take(look)
		case <-resized:
		case k := <-keys:
			switch screen.Press(k) {
			case Quit:
				return ctx.Err()
			case Suspend:
				if err := t.suspend(); err != nil {
					return err
				}
			}
		}
	}
}

// send sends a value, unless ctx ends before.
func send[T any](ctx context.Context, to chan<- T, value T) bool {
	select {
	case to <- value:
		return true
	case <-ctx.Done():
		return false
	}
}
