package dist_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"cresset/dist"
	"cresset/dtype"
	"cresset/tensor"
)

// overlaps has results share memory with what is sent.
func overlaps(g *dist.Group) error {
	const n = 3
	all := tensor.Zeros(n * g.Size())
	mine := all.Narrow(0, n*g.Rank(), n)
	mine.CopyInPlace(numbers(n, g.Rank(), dtype.Float32))
	whole, exchanged := numbers(n*g.Size(), g.Rank(), dtype.Float32), numbers(n*g.Size(), g.Rank(), dtype.Float32)
	part := whole.Narrow(0, n*(g.Size()-1), n)
	for _, w := range []*dist.Work{g.AllGather(all, mine), g.ReduceScatter(part, whole, dist.Sum), g.AllToAll(exchanged, exchanged)} {
		if err := w.Wait(ctx); err != nil {
			return err
		}
	}
	var gathered, swapped []*tensor.Tensor
	for r := range g.Size() {
		gathered = append(gathered, numbers(n, r, dtype.Float32))
		swapped = append(swapped, numbers(n*g.Size(), r, dtype.Float32).Narrow(0, g.Rank()*n, n))
	}
	return errors.Join(same("AllGather", all, tensor.Cat(gathered, 0)), same("AllToAll", exchanged, tensor.Cat(swapped, 0)),
		same("ReduceScatter", part, joined(dist.Sum, n*g.Size(), g.Size(), dtype.Float32).Narrow(0, g.Rank()*n, n)))
}

// nans wants a rank's NaN in every reduction of all.
func nans(g *dist.Group) error {
	for _, dt := range []dtype.DType{dtype.Float16, dtype.Float32, dtype.Float64} {
		for op := dist.Sum; op <= dist.Max; op++ {
			for rank := range g.Size() {
				x := tensor.Ones(2).To(dt)
				if g.Rank() == rank {
					x = tensor.FromSlice([]float64{math.NaN(), 1}).To(dt)
				}
				if err := g.AllReduce(x, op).Wait(ctx); err != nil {
					return err
				}
				if got := tensor.Values[float64](x.To(dtype.Float64)); !math.IsNaN(got[0]) || math.IsNaN(got[1]) {
					return fmt.Errorf("%s of %s with a NaN of rank %d: %v", op, dt, rank, got)
				}
			}
		}
	}
	return nil
}

// sent sends what a gradient needs, which nothing has changed.
func sent(g *dist.Group) error {
	x := tensor.Ones(2).SetRequiresGrad(true)
	y := x.Exp()
	if err := g.AllGather(tensor.Empty(2*g.Size()), y).Wait(ctx); err != nil {
		return err
	}
	return tensor.Try(func() { y.Sum().Backward() })
}

// closes wants an error of what is asked of a group that is closed, and none of another Close.
func closes(g *dist.Group) error {
	part, err := g.Split(ctx, 0, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(part.Close(ctx), part.Close(ctx)); err != nil {
		return err
	}
	if err := part.Barrier().Wait(ctx); err == nil || err.Error() != "the group is closed" {
		return fmt.Errorf("the part's Barrier after Close: %v", err)
	}
	if err := g.Barrier().Wait(ctx); err != nil {
		return err
	}
	for range 20 { // of parts that nobody closes
		if _, err := g.Split(ctx, g.Rank()%2, 0); err != nil {
			return err
		}
	}
	part, err = g.Split(ctx, 0, 0)
	if err := errors.Join(err, g.Close(ctx), g.Close(ctx)); err != nil {
		return err
	}
	if err := g.Barrier().Wait(ctx); err == nil || err.Error() != "the group is closed" {
		return fmt.Errorf("Barrier after Close: %v", err)
	}
	if part.Barrier().Wait(ctx) == nil {
		return errors.New("a part of a closed group has a Barrier")
	}
	if _, err := g.Split(ctx, 0, 0); err == nil {
		return errors.New("a closed group was split")
	}
	return nil
}

func TestClose(t *testing.T) {
	if err := dist.Spawn(2, closes); err != nil {
		t.Error(err)
	}
}

// TestGroupsTimeout: each wait ends with the group's timeout, also that for a message or a Split.
func TestGroupsTimeout(t *testing.T) {
	for name, call := range map[string]func(g *dist.Group) error{
		"barrier": func(g *dist.Group) error { return g.Barrier().Wait(ctx) },
		"recv":    func(g *dist.Group) error { return g.Receive(tensor.Zeros(1), 1, 0).Wait(ctx) },
		"split":   func(g *dist.Group) error { _, err := g.Split(ctx, 0, 0); return err },
	} {
		gaveUp := make(chan bool)
		err := dist.Spawn(2, func(g *dist.Group) error {
			if g.Rank() == 1 {
				<-gaveUp
				return nil
			}
			defer close(gaveUp)
			err := call(g)
			var timeout *dist.TimeoutError
			if !errors.As(err, &timeout) || timeout.Call != name || !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("got %v", err)
			}
			if err := g.Barrier().Wait(ctx); err == nil || !strings.HasPrefix(err.Error(), "the group is broken since "+name) {
				return fmt.Errorf("afterwards: %v", err)
			}
			return nil
		}, dist.Timeout(time.Millisecond))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// settles waits for a rank that comes when it is too late: every wait has the error of the first.
func settles(g *dist.Group, come func()) error {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	w := g.Barrier()
	err := w.Wait(ended)
	if late := (*dist.TimeoutError)(nil); !errors.As(err, &late) {
		return fmt.Errorf("got %v", err)
	}
	come()
	<-w.Done()
	if again := w.Wait(ctx); again != err {
		return fmt.Errorf("another Wait: %v, the first: %w", again, err)
	}
	return nil
}

func TestTimeoutIsSettled(t *testing.T) {
	gaveUp := make(chan bool)
	err := dist.Spawn(2, func(g *dist.Group) error {
		if g.Rank() == 0 {
			return settles(g, func() { close(gaveUp) })
		}
		<-gaveUp
		return g.Barrier().Wait(ctx) // which rank 0 has called
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLatenessOfAnother: where a rank ends because it has waited too long, the others learn that, and have not waited too long themselves.
func TestLatenessOfAnother(t *testing.T) {
	err := dist.Spawn(2, func(g *dist.Group) error {
		if g.Rank() == 1 {
			return fmt.Errorf("its data: %w", context.DeadlineExceeded)
		}
		err := g.Barrier().Wait(ctx)
		var gone *dist.RankError
		var timeout *dist.TimeoutError
		if !errors.As(err, &gone) || errors.As(err, &timeout) {
			t.Errorf("got %v", err)
		}
		return nil
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
