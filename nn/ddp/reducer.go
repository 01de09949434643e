package ddp

import (
	"fmt"
	"slices"
	"strings"

	"cresset/dist"
	"cresset/internal/friend"
	"cresset/tensor"
)

// inner is what package tensor registers: gradients without a copy, and what depends on what.
var inner = friend.Of[*tensor.Tensor]()

// A reducer keeps the gradients of a model's copies equal. Gradients come in about the reverse order of the parameters; they are copied into buckets, each of which is
// reduced as soon as it is full and those before it have been sent. With GradientAsBucketView they stay there.
type reducer struct {
	options
	group   *dist.Group
	names   []string
	params  []*tensor.Tensor // that require a gradient
	buffers []*tensor.Tensor
	buckets []*bucket
	home    []*bucket        // of each parameter
	lent    []*tensor.Tensor // its gradient where that is the bucket's view; nil otherwise

	syncs    bool // whether the next Backward is to reduce
	expects  bool // whether one that reduces is to come
	reducing bool // whether it has begun
	came     []bool
	sent     int            // buckets
	depends  []bool         // where FindUnusedParameters asks for it, on which parameters the last result does,
	used     *dist.Work     // and on which
	usedHere *tensor.Tensor // that of some rank does
}

// A bucket is gradients of one dtype and device that are reduced together.
type bucket struct {
	params  []int
	flat    *tensor.Tensor
	views   []*tensor.Tensor // of flat, for each parameter
	missing int              // gradients that have not come
	work    *dist.Work
}

const firstBucket = 1 << 20 // bytes

// fill divides the parameters among buckets, from the last to the first.
func (r *reducer) fill() {
	r.home = make([]*bucket, len(r.params))
	r.came, r.lent = make([]bool, len(r.params)), make([]*tensor.Tensor, len(r.params))
	full := int(r.bucketCap * (1 << 20))
	most := min(firstBucket, full)
	var open []*bucket
	var sizes []int
	for i, p := range slices.Backward(r.params) {
		k := slices.IndexFunc(open, func(b *bucket) bool {
			q := r.params[b.params[0]]
			return q.DType() == p.DType() && q.Device() == p.Device()
		})
		bytes := p.NumEl() * p.DType().Size()
		if k < 0 || sizes[k]+bytes > most {
			b := &bucket{}
			r.buckets = append(r.buckets, b)
			if len(r.buckets) > 1 {
				most = full
			}
			if k < 0 {
				open, sizes, k = append(open, b), append(sizes, 0), len(open)
			} else {
				open[k], sizes[k] = b, 0
			}
		}
		open[k].params = append(open[k].params, i)
		sizes[k] += bytes
		r.home[i] = open[k]
	}
	for _, b := range r.buckets {
		ps := make([]*tensor.Tensor, len(b.params))
		for k, i := range b.params {
			ps[k] = r.params[i]
		}
		b.flat = tensor.ZerosLike(flatten(ps))
		b.views = views(b.flat, ps)
	}
}

// begin prepares for a Forward.
func (r *reducer) begin() {
	r.checkPlace()
	if r.reducing {
		panic(fault("Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your module has parameters that were not " +
			"used in producing loss. You can enable unused parameter detection by passing the option ddp.FindUnusedParameters(true), and by making sure all Forward outputs " +
			"participate in calculating loss. Parameters which did not receive grad: " + strings.Join(r.missing(), ", ")))
	}
	if !r.syncs {
		return
	}
	if r.broadcastBuffers && len(r.buffers) > 0 {
		must(r.broadcast(r.buffers))
	}
	clear(r.came)
	r.expects, r.sent = false, 0
	for _, b := range r.buckets {
		b.missing, b.work = len(b.params), nil
	}
}

// checkPlace panics where a parameter is not what it was when the model was wrapped.
func (r *reducer) checkPlace() {
	for i, p := range r.params {
		if was := r.home[i].flat; p.DType() != was.DType() || p.Device() != was.Device() {
			panic(fault(fmt.Sprintf("parameter %s was %s on %s when the model was wrapped, and is %s on %s: a model is moved before it is wrapped",
				r.names[i], was.DType(), was.Device(), p.DType(), p.Device())))
		}
	}
}

// missing returns the names of parameters whose gradients have not come.
func (r *reducer) missing() (names []string) {
	for i, name := range r.names {
		if !r.came[i] {
			names = append(names, name)
		}
	}
	return names
}

// follow notes what a Forward has computed, from which a Backward will start.
func (r *reducer) follow(outs ...*tensor.Tensor) {
	tracked := slices.ContainsFunc(outs, func(y *tensor.Tensor) bool { return y != nil && y.RequiresGrad() })
	if !r.syncs || !tracked {
		return
	}
	r.expects = true
	if !r.findUnused {
		return
	}
	r.depends = inner.Reaches(outs, r.params)
	if !slices.Contains(r.depends, true) {
		r.reduce() // no gradient will come here, and other ranks wait
	}
}

// reduce begins a reduction, with parameters whose gradients will not come. It does so when the first gradient comes: a Forward without a Backward communicates nothing.
func (r *reducer) reduce() {
	r.reducing = true
	if !r.findUnused {
		return
	}
	marks := make([]int32, len(r.depends))
	for i, on := range r.depends {
		if on {
			marks[i] = 1
		}
	}
	r.usedHere = tensor.FromSlice(marks)
	r.used = r.group.AllReduce(r.usedHere, dist.Max)
	for i, on := range r.depends {
		if !on {
			r.takeBack(i)
			r.ready(i)
		}
	}
}

// arrived notes that a parameter's gradient is complete.
func (r *reducer) arrived(i int) {
	if !r.expects || !r.syncs {
		return
	}
	if !r.reducing {
		r.reduce()
	}
	r.ready(i)
}

// ready sends what is full with a parameter's gradient, or without the one that does not come.
func (r *reducer) ready(i int) {
	if r.came[i] {
		panic(fault(fmt.Sprintf("Expected to mark a variable ready only once. Parameter %s has been marked as ready twice: it is used in several Backwards after one Forward", r.names[i])))
	}
	r.came[i] = true
	r.home[i].missing--
	for r.sent < len(r.buckets) && r.buckets[r.sent].missing == 0 {
		r.send(r.buckets[r.sent])
		r.sent++
	}
	if r.sent == len(r.buckets) {
		r.finish()
	}
}

// send begins to reduce a bucket.
func (r *reducer) send(b *bucket) {
	share, op := r.share(b)
	for k, i := range b.params {
		g, view := inner.BorrowGrad(r.params[i]), b.views[k]
		switch {
		case g == nil:
			view.ZeroInPlace()
			continue
		case g == r.lent[i] && share == 1:
		case share == 1:
			view.CopyInPlace(g.Detach())
		default:
			inner.ScaleInto(view, g.Detach(), share)
		}
		if r.asViews && g != r.lent[i] && (!r.findUnused || r.depends[i]) {
			r.lend(i, view)
		}
	}
	b.work = r.group.AllReduce(b.flat, op)
}

// share returns by what gradients are multiplied on their way into a bucket, and how the bucket is reduced then. A rank's share of the mean needs no pass of its own; it is taken where
// that loses nothing: of powers of two, and not of halves, whose sums are rounded once.
func (r *reducer) share(b *bucket) (by float64, op dist.ReduceOp) {
	n := r.group.Size()
	if n&(n-1) != 0 || b.flat.DType().Size() < 4 {
		return 1, dist.Avg
	}
	return 1 / float64(n), dist.Sum
}

// lend makes a bucket's view a parameter's gradient.
func (r *reducer) lend(i int, view *tensor.Tensor) {
	r.params[i].SetGrad(view)
	r.lent[i] = inner.BorrowGrad(r.params[i])
}

// takeBack has a parameter that this rank does not use keep its gradient elsewhere than in the bucket: it stays as it is where no rank uses the parameter.
func (r *reducer) takeBack(i int) {
	if g := inner.BorrowGrad(r.params[i]); g != nil && g == r.lent[i] {
		r.params[i].SetGrad(g.Clone())
		r.lent[i] = nil
	}
}

// finish waits for all buckets and hands the means to the parameters.
func (r *reducer) finish() {
	r.expects, r.reducing = false, false
	var used []int32
	if r.used != nil {
		must(r.used.Wait(ctx))
		used, r.used = tensor.Values[int32](r.usedHere), nil
	}
	for _, b := range r.buckets {
		must(b.work.Wait(ctx))
		for k, i := range b.params {
			if used != nil && used[i] == 0 {
				continue
			}
			switch g := inner.BorrowGrad(r.params[i]); {
			case g != nil && g == r.lent[i]:
			case r.asViews:
				r.lend(i, b.views[k])
			case g != nil:
				g.Detach().CopyInPlace(b.views[k])
			default:
				r.params[i].SetGrad(b.views[k].Clone())
			}
		}
	}
}

// must panics with an error of the group, for Backward has none to return.
func must(err error) {
	if err != nil {
		panic(&tensor.Error{Op: "distributed_data_parallel", Kind: tensor.ErrValue, Err: err})
	}
}
