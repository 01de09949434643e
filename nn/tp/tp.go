// Package tp divides layers of a model among the ranks of a job: tensor parallelism (Shoeybi et al., 2019) in the words of torch.distributed.tensor.parallel. Each rank holds a part of
// a layer's weight and computes a part of its outputs, or a summand of them:
//
//	model, err := llama.New(config)
//	sharding, err := tp.ParallelizeModule(ctx, model, g, model.TensorParallelPlan())
//	loss(model.Forward(ids)).Backward()
//	sharding.ClipGradNorm(1)
//
// All ranks compute the same batch with the same random numbers, so that what is not divided stays alike, and take part in each Forward and Backward.
package tp

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/tensor"
)

// Plan says how modules are divided, by their names; a part of a name between dots may be "*".
type Plan map[string]Style

// Style is a way to divide a module: ColwiseParallel, RowwiseParallel or Replicate.
type Style interface {
	divide(s *Sharding, name string, module any) error
}

// Sharding knows of which parameters of a model ranks hold parts.
type Sharding struct {
	group *dist.Group
	model any
	cuts  map[*tensor.Tensor]cut
}

// A cut is how a tensor was divided along an axis, or each of several equal blocks of it.
type cut struct{ axis, blocks, extent int }

// ParallelizeModule divides a model as a plan says, in place: parameters keep their identity, and become rank 0's. All ranks call it with models of the same sizes, before they make an
// optimizer. A name that fits no module is an error.
func ParallelizeModule(ctx context.Context, model any, g *dist.Group, plan Plan) (*Sharding, error) {
	s := &Sharding{g, model, map[*tensor.Tensor]cut{}}
	for _, p := range nn.Parameters(model) {
		values := p.Detach().Contiguous()
		if err := g.Broadcast(values, 0).Wait(ctx); err != nil {
			return nil, err
		}
		p.Detach().CopyInPlace(values)
	}
	type named struct {
		name   string
		module any
	}
	var modules []named
	seen := map[string]bool{}
	for name, module := range nn.Modules(model) {
		if !seen[name] { // an embedded struct has the same
			modules, seen[name] = append(modules, named{name, module}), true
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(plan)) {
		found := false
		for _, m := range modules {
			if !fits(pattern, m.name) {
				continue
			}
			found = true
			if err := plan[pattern].divide(s, m.name, m.module); err != nil {
				return nil, err
			}
		}
		if !found {
			return nil, fault(fmt.Sprintf("no module of the model is called %q", pattern))
		}
	}
	return s, nil
}

// fits reports whether a module's name is that of a plan.
func fits(pattern, name string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, ".", "/"), strings.ReplaceAll(name, ".", "/"))
	return ok && err == nil
}

// divide makes p this rank's part of it along an axis. Layers that share it have to agree.
func (s *Sharding) divide(name string, p *tensor.Tensor, c cut) error {
	c.blocks = max(c.blocks, 1)
	if before, done := s.cuts[p]; done {
		c.extent = before.extent
		if before != c {
			return fault(fmt.Sprintf("%s shares a parameter that is divided in another way", name))
		}
		return nil
	}
	c.extent = p.Size(c.axis)
	if c.extent%c.blocks != 0 {
		return fault(fmt.Sprintf("%d blocks do not divide the %d columns of %s", c.blocks, c.extent, name))
	}
	each := c.extent / c.blocks
	first, n := s.part(each)
	parts := make([]*tensor.Tensor, c.blocks)
	for i := range parts {
		parts[i] = p.Detach().Narrow(c.axis, i*each+first, n)
	}
	p.SetData(tensor.Cat(parts, c.axis))
	inner.MarkPart(p)
	s.cuts[p] = c
	return nil
}

// part returns which of so many indices are this rank's: torch.chunk's.
func (s *Sharding) part(extent int) (first, n int) {
	each := (extent + s.group.Size() - 1) / s.group.Size()
	first = min(s.group.Rank()*each, extent)
	return first, min(each, extent-first)
}

// ClipGradNorm is nn.ClipGradNorm for the gradients of all ranks' parts, and of what is alike everywhere, once. All ranks call it.
func (s *Sharding) ClipGradNorm(max float64, opts ...nn.ClipOption) float64 {
	var parts, alike []*tensor.Tensor
	for _, p := range nn.Parameters(s.model) {
		g := inner.BorrowGrad(p)
		switch _, divided := s.cuts[p]; {
		case g == nil || g.NumEl() == 0:
		case divided:
			parts = append(parts, g)
		default:
			alike = append(alike, g)
		}
	}
	quiet := append(opts[:len(opts):len(opts)], nn.ErrorIfNonFinite(false))
	norms := tensor.Empty(s.group.Size()).To(dtype.Float64)
	must(s.group.AllGather(norms, tensor.FromSlice([]float64{nn.TotalNorm(parts, quiet...)})).Wait(background))
	norm := nn.TotalNorm([]*tensor.Tensor{norms, tensor.FromSlice([]float64{nn.TotalNorm(alike, quiet...)})}, opts...)
	nn.ClipGradsWithNorm(nn.Parameters(s.model), max, norm)
	return norm
}

// inner is what package tensor registers.
var inner = friend.Of[*tensor.Tensor]()

func fault(text string) *tensor.Error {
	return &tensor.Error{Op: "parallelize_module", Kind: tensor.ErrValue, Err: fmt.Errorf("%s", text)}
}

// must panics with an error of the group, for a Forward has none to return.
func must(err error) {
	if err != nil {
		panic(&tensor.Error{Op: "tensor_parallel", Kind: tensor.ErrValue, Err: err})
	}
}

// Every wait has the group's limit.
var background = context.Background()
