package fsdp

import (
	"slices"

	"cresset/tensor"
)

// A param is a parameter of the model: this rank's rows between steps, whole while it is computed with.
type param struct {
	name  string
	leaf  *tensor.Tensor // the model's
	whole []int          // shape
	first int            // of this rank's rows
	shard *tensor.Tensor // the rows
	view  *tensor.Tensor // of the unit's whole parameters
	at    int            // where in a rank's part of a message it stands
	room  int            // how many elements it has there: those of the first rank, which has the most rows

	grad    *tensor.Tensor // of the rows, while the leaf is whole
	mean    *tensor.Tensor // memory of the rows' gradients, which one step leaves to the next
	pending *tensor.Tensor // of NoSync, whole
	awaited bool           // a gradient is to come
	came    bool
}

// rows returns how many rows a parameter has, and how many of them ranks have at most: torch.chunk's.
func (p *param) rows(ranks int) (all, each int) {
	all = p.whole[0]
	return all, (all + ranks - 1) / ranks
}

// cut makes the rank's rows of whole values on some device.
func (p *param) cut(from *tensor.Tensor, rank, ranks int, like tensor.Place) {
	all, each := p.rows(ranks)
	p.first = min(rank*each, all)
	n := min(each, all-p.first)
	shape := append([]int{n}, p.whole[1:]...)
	p.room = each * product(p.whole[1:])
	if p.shard = like.Zeros(shape...); from != nil {
		p.shard.CopyInPlace(from.Narrow(0, p.first, n).To(p.shard.Device()))
	}
	inner.MarkPart(p.shard)
}

// share puts the rank's rows into its part of a message.
func (p *param) share(message *tensor.Tensor) {
	message.Narrow(0, p.at, p.shard.NumEl()).CopyInPlace(p.shard.View(-1))
}

// collect fills the whole parameter from the parts of a message [ranks, elements].
func (p *param) collect(message *tensor.Tensor) {
	parts, flat := message.Narrow(1, p.at, p.room), p.view.View(-1)
	if parts.NumEl() == flat.NumEl() {
		flat.View(parts.Shape()...).CopyInPlace(parts)
	} else {
		flat.CopyInPlace(parts.Reshape(-1).Narrow(0, 0, flat.NumEl()))
	}
}

// spread puts a whole gradient into a message [ranks, elements].
func (p *param) spread(message, grad *tensor.Tensor) {
	parts := message.Narrow(1, p.at, p.room)
	if grad.NumEl() != parts.NumEl() {
		padded := tensor.Like(grad).Zeros(parts.NumEl())
		defer padded.Release()
		padded.Narrow(0, 0, grad.NumEl()).CopyInPlace(grad.Reshape(-1))
		grad = padded
	}
	parts.CopyInPlace(grad.Reshape(parts.Shape()...))
}

// take adds the mean gradient of the rank's rows.
func (p *param) take(part *tensor.Tensor) {
	mean := part.Narrow(0, p.at, p.shard.NumEl()).View(p.shard.Shape()...)
	switch {
	case p.grad != nil:
		p.grad.AddInPlace(mean)
	case p.mean == nil:
		p.mean = mean.Clone()
		p.grad = p.mean
	default:
		p.grad = p.mean.CopyInPlace(mean)
	}
}

// toWhole makes the leaf the whole parameter, whose gradient starts afresh.
func (p *param) toWhole() {
	if p.leaf.RequiresGrad() {
		p.grad = p.leaf.Grad()
		p.leaf.SetGrad(nil)
	}
	p.leaf.SetData(p.view)
}

// toPart makes the leaf the rank's rows.
func (p *param) toPart() {
	if p.leaf.RequiresGrad() {
		p.leaf.SetGrad(nil)
	}
	p.leaf.SetData(p.shard)
	if p.leaf.RequiresGrad() {
		p.leaf.SetGrad(p.grad)
	}
	p.grad = nil
}

func product(ns []int) int {
	all := 1
	for _, n := range ns {
		all *= n
	}
	return all
}

// names returns those of parameters that fit.
func names(ps []*param, fits func(p *param) bool) (out []string) {
	for _, p := range ps {
		if fits(p) {
			out = append(out, p.name)
		}
	}
	return slices.Clip(out)
}
