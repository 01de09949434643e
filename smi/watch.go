package smi

import (
	"context"
	"iter"
	"time"
)

// Watch looks at the GPUs at once and then every so often, until ctx ends. An error does not end it: a GPU that is lost, or
// a driver that is replaced, may come back; the inventory of the GPUs that answer comes with the error. It panics unless
// every is positive.
func Watch(ctx context.Context, every time.Duration) iter.Seq2[*Inventory, error] {
	return watch(ctx, every, connect, false)
}

// WatchDetails is Watch with the Details of every GPU.
func WatchDetails(ctx context.Context, every time.Duration) iter.Seq2[*Inventory, error] {
	return watch(ctx, every, connect, true)
}

func watch(ctx context.Context, every time.Duration, open func() (source, error), details bool) iter.Seq2[*Inventory, error] {
	if every <= 0 {
		panic("smi: Watch wants a positive duration")
	}
	return func(yield func(*Inventory, error) bool) {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		var c connection
		defer c.close()
		for ctx.Err() == nil {
			if !yield(c.read(open, details)) {
				return
			}
			select {
			case <-ctx.Done():
			case <-ticker.C:
			}
		}
	}
}

// connection keeps a source open from one look to the next.
type connection struct{ source source }

// read looks at the GPUs. A source that fails is closed, and opened anew by the next look.
func (c *connection) read(open func() (source, error), details bool) (*Inventory, error) {
	if c.source == nil {
		var err error
		if c.source, err = open(); err != nil {
			c.source = nil
			return nil, err
		}
	}
	inventory, err := survey(c.source, details)
	if err != nil {
		c.close()
	}
	return inventory, err
}

func (c *connection) close() {
	if c.source != nil {
		c.source.close()
		c.source = nil
	}
}
