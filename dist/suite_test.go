package dist_test

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/tensor"
)

// floats are exact in every dtype that is tested, also when they are added: small whole numbers.
func numbers(n, rank int, dt dtype.DType) *tensor.Tensor {
	s := make([]int64, n)
	for i := range s {
		s[i] = int64((rank+i)%5 + 1)
		if dt == dtype.Bool {
			s[i] = int64((rank + i) % 2)
		}
	}
	return tensor.FromSlice(s).To(dt)
}

// home is where the suite's tensors are that are exchanged.
var home = device.CPU

// here returns the numbers of a rank at home.
func here(n, rank int, dt dtype.DType) *tensor.Tensor { return numbers(n, rank, dt).To(home) }

// joined returns what a reduction makes of the numbers of so many ranks, in float64.
func joined(op dist.ReduceOp, n, ranks int, dt dtype.DType) *tensor.Tensor {
	sum := numbers(n, 0, dt).To(dtype.Float64)
	for r := 1; r < ranks; r++ {
		x := numbers(n, r, dt).To(dtype.Float64)
		switch {
		case op == dist.Product, op == dist.Min && dt == dtype.Bool:
			sum = sum.Mul(x)
		case op == dist.Min:
			sum = sum.Minimum(x)
		case op == dist.Max, dt == dtype.Bool:
			sum = sum.Maximum(x)
		default:
			sum = sum.Add(x)
		}
	}
	if op == dist.Avg {
		sum = sum.Div(tensor.Of(ranks))
	}
	return sum.To(dt)
}

var dtypes = []dtype.DType{
	dtype.Bool, dtype.Uint8, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64,
}

// sizes are nothing, a few elements, and more than goes out in one message, which has 16 KiB.
func sizes(dt dtype.DType) []int { return []int{0, 7, 16<<10/dt.Size() + 1} }

// same returns an error unless both tensors have the same elements.
func same(what string, got, want *tensor.Tensor) error {
	if got.CPU().Equal(want.View(got.Shape()...)) {
		return nil
	}
	return fmt.Errorf("%s: got\n%v\nwant\n%v", what, got, want)
}

func reductions(g *dist.Group) error {
	for _, dt := range dtypes {
		if dt == dtype.Int16 && g.Engine() == "nccl" {
			continue // which it does not know
		}
		for op := dist.Sum; op <= dist.Max; op++ {
			if op == dist.Avg && !dt.IsFloat() || op == dist.Product && g.Size() > 3 {
				continue // such products do not fit into all dtypes
			}
			for _, n := range sizes(dt) {
				what := fmt.Sprintf("%s of %d elements of %s", op, n, dt)
				all, one, part := here(n, g.Rank(), dt), here(n, g.Rank(), dt), tensor.On(home).Zeros(n).To(dt)
				root := int(op) % g.Size()
				works := []*dist.Work{g.AllReduce(all, op), g.Reduce(one, op, root), g.ReduceScatter(part, here(n*g.Size(), g.Rank(), dt), op)}
				for _, w := range works {
					if err := w.Wait(ctx); err != nil {
						return err
					}
				}
				want := joined(op, n*g.Size(), g.Size(), dt)
				whole, mine := want.Narrow(0, 0, n), want.Narrow(0, g.Rank()*n, n)
				its := whole
				if g.Rank() != root {
					its = numbers(n, g.Rank(), dt)
				}
				if err := errors.Join(same("AllReduce "+what, all, whole), same("Reduce "+what, one, its), same("ReduceScatter "+what, part, mine)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// shapes are any: ranks need the same number of elements.
func shapes(g *dist.Group) error {
	for _, dt := range []dtype.DType{dtype.Float16, dtype.Float32} {
		for _, shape := range [][]int{{}, {1, 3}, {2, 3}} {
			like := func() *tensor.Tensor { return tensor.Full(shape, float32(g.Rank()+1)).To(dt) }
			n, total := g.Size(), g.Size()*(g.Size()+1)/2
			all, one, part, sent, whole := like(), like(), like(), like(), tensor.Full(append([]int{n}, shape...), float32(g.Rank()+1)).To(dt)
			for _, w := range []*dist.Work{g.AllReduce(all, dist.Sum), g.Reduce(one, dist.Max, 0), g.ReduceScatter(part, whole, dist.Sum), g.Broadcast(sent, n-1)} {
				if err := w.Wait(ctx); err != nil {
					return fmt.Errorf("shape %v of %s: %w", shape, dt, err)
				}
			}
			largest := g.Rank() + 1
			if g.Rank() == 0 {
				largest = n
			}
			what := fmt.Sprintf("of shape %v and %s", shape, dt)
			filled := func(v int) *tensor.Tensor { return tensor.Full(shape, float32(v)).To(dt) }
			if err := errors.Join(same("AllReduce "+what, all, filled(total)), same("Reduce "+what, one, filled(largest)),
				same("ReduceScatter "+what, part, filled(total)), same("Broadcast "+what, sent, filled(n))); err != nil {
				return err
			}
		}
	}
	return nil
}

func moves(g *dist.Group) error {
	root := g.Size() - 1
	for _, dt := range dtypes {
		for _, n := range sizes(dt) {
			var all, swapped []*tensor.Tensor
			for r := range g.Size() {
				all = append(all, numbers(n, r, dt))
				swapped = append(swapped, numbers(n*g.Size(), r, dt).Narrow(0, g.Rank()*n, n))
			}
			like := func(n int) *tensor.Tensor { return tensor.On(home).Zeros(n).To(dt) }
			mine, whole := here(n, g.Rank(), dt), here(n*g.Size(), g.Rank(), dt)
			sent, gathered, exchanged, part := mine.Clone(), like(n*g.Size()), like(n*g.Size()), like(n)
			var collected, parted *tensor.Tensor
			if g.Rank() == root {
				collected, parted = like(n*g.Size()), whole
			}
			for _, w := range []*dist.Work{
				g.Broadcast(sent, root), g.AllGather(gathered, mine), g.AllToAll(exchanged, whole), g.Gather(collected, mine, root), g.Scatter(part, parted, root), g.Barrier(),
			} {
				if err := w.Wait(ctx); err != nil {
					return err
				}
			}
			what := fmt.Sprintf(" of %d elements of %s", n, dt)
			err := errors.Join(
				same("Broadcast"+what, sent, numbers(n, root, dt)), same("AllGather"+what, gathered, tensor.Cat(all, 0)),
				same("AllToAll"+what, exchanged, tensor.Cat(swapped, 0)), same("Scatter"+what, part, numbers(n*g.Size(), root, dt).Narrow(0, g.Rank()*n, n)))
			if g.Rank() == root {
				err = errors.Join(err, same("Gather"+what, collected, tensor.Cat(all, 0)))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// messages go around a ring; of two tags the later is received first.
func messages(g *dist.Group) error {
	if g.Size() == 1 {
		return nil
	}
	next, last := (g.Rank()+1)%g.Size(), (g.Rank()+g.Size()-1)%g.Size()
	for _, n := range sizes(dtype.Float32) {
		first, second := tensor.On(home).Zeros(n), tensor.On(home).Zeros(n)
		works := []*dist.Work{
			g.Send(here(n, g.Rank(), dtype.Float32), next, 1), g.Send(here(n, g.Rank()+1, dtype.Float32), next, 2),
			g.Receive(second, last, 2), g.Receive(first, last, 1),
		}
		for _, w := range works {
			<-w.Done()
			if err := w.Wait(ctx); err != nil {
				return err
			}
		}
		if err := errors.Join(same("first", first, numbers(n, last, dtype.Float32)), same("second", second, numbers(n, last+1, dtype.Float32))); err != nil {
			return err
		}
	}
	return nil
}

func exchangeBytes(g *dist.Group) error {
	all, err := g.AllGatherBytes(ctx, slices.Repeat([]byte{byte(g.Rank())}, g.Rank()))
	if err != nil {
		return err
	}
	for r, b := range all {
		if !slices.Equal(b, slices.Repeat([]byte{byte(r)}, r)) {
			return fmt.Errorf("rank %d gave %v", r, b)
		}
	}
	for _, text := range []string{"", "to all"} {
		mine := "mine"
		if g.Rank() == 0 {
			mine = text
		}
		if got, err := g.BroadcastBytes(ctx, []byte(mine), 0); err != nil || string(got) != text {
			return fmt.Errorf("got %q, %v", got, err)
		}
	}
	return nil
}

// split divides ranks into even and odd ones, and numbers them backwards.
func split(g *dist.Group) error {
	part, err := g.Split(ctx, g.Rank()%2, -g.Rank())
	if err != nil {
		return err
	}
	want := (g.Size() + 1 - g.Rank()%2) / 2
	here := want
	if os.Getenv(manyHosts) != "" {
		here = (want + 1) / 2
	}
	if part.Size() != want || part.Rank() != want-1-g.Rank()/2 || part.LocalSize() != here {
		return fmt.Errorf("%v became %v, of %d here", g, part, part.LocalSize())
	}
	sum, all := tensor.FromSlice([]int64{int64(g.Rank())}), int64(0)
	for r := g.Rank() % 2; r < g.Size(); r += 2 {
		all += int64(r)
	}
	if err := errors.Join(part.AllReduce(sum, dist.Sum).Wait(ctx), g.Barrier().Wait(ctx)); err != nil {
		return err
	}
	return same("the part's sum", sum, tensor.FromSlice([]int64{all}))
}

// onGPU reduces and gathers tensors of a GPU, which come back there.
func onGPU(g *dist.Group) error {
	dev := device.CUDA(g.LocalRank() % 2)
	sum, all := numbers(1000, g.Rank(), dtype.Float32).To(dev), tensor.Zeros(1000*g.Size()).To(dev)
	if err := errors.Join(g.AllReduce(sum, dist.Sum).Wait(ctx), g.AllGather(all, numbers(1000, g.Rank(), dtype.Float32).To(dev)).Wait(ctx)); err != nil {
		return err
	}
	if sum.Device() != dev || all.Device() != dev {
		return fmt.Errorf("results are on %s and %s", sum.Device(), all.Device())
	}
	var each []*tensor.Tensor
	for r := range g.Size() {
		each = append(each, numbers(1000, r, dtype.Float32))
	}
	return errors.Join(same("sum", sum, joined(dist.Sum, 1000, g.Size(), dtype.Float32)), same("all", all, tensor.Cat(each, 0)))
}

// leaves reduces what requires a gradient: its values change and its gradient stays.
func leaves(g *dist.Group) error {
	x := tensor.Ones(3).SetRequiresGrad(true)
	x.Sum().Backward()
	if err := g.AllReduce(x, dist.Sum).Wait(ctx); err != nil {
		return err
	}
	return errors.Join(same("x", x.Detach(), tensor.Full([]int{3}, float64(g.Size()))), same("its gradient", x.Grad(), tensor.Ones(3)))
}

func neighbours(g *dist.Group) error {
	if g.LocalRank() != g.Rank() || g.LocalSize() != g.Size() {
		return fmt.Errorf("%v is %d of %d here", g, g.LocalRank(), g.LocalSize())
	}
	return nil
}
