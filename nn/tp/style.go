package tp

import (
	"fmt"

	"cresset/internal/friend"
	"cresset/nn"
	"cresset/tensor"
)

// ColwiseParallel has each rank compute a part of a layer's outputs, which the next layer takes by RowwiseParallel: a linear layer's weight is divided by outputs, an embedding's by width.
type ColwiseParallel struct {
	GatherOutput bool // makes the outputs whole on all ranks; an embedding's are anyway
	Blocks       int  // how many equal parts of the outputs are each divided, as queries, keys and values that one layer computes; 0 is 1
}

// RowwiseParallel has each rank compute a summand of a layer's outputs: a linear layer's weight is divided by inputs, which a ColwiseParallel layer has left divided, and an embedding's by
// rows, its vocabulary.
type RowwiseParallel struct{}

// Replicate is for a module with the same parameters on all ranks, each of which computes a part with it, such as norms of heads: gradients are the sums of all ranks'.
type Replicate struct{}

// Linear layers and embeddings, whatever their types.
type (
	product interface {
		Product() friend.Product[*tensor.Tensor]
	}
	lookup interface {
		Lookup() friend.Lookup[*tensor.Tensor]
	}
)

func (c ColwiseParallel) divide(s *Sharding, name string, module any) error {
	switch m := module.(type) {
	case product:
		p := m.Product()
		if p.Weight == nil {
			return fault(fmt.Sprintf("the weight of %s is quantized, which is not divided", name))
		}
		if c.GatherOutput && c.Blocks > 1 {
			return fault(fmt.Sprintf("the outputs of %s are several blocks, which are not gathered", name))
		}
		if err := s.divide(name, p.Weight, cut{axis: p.Outputs, blocks: c.Blocks}); err != nil {
			return err
		}
		if p.Bias != nil {
			if err := s.divide(name, p.Bias, cut{axis: 0, blocks: c.Blocks}); err != nil {
				return err
			}
		}
		outputs := s.cuts[p.Weight].extent
		*p.Compute = func(x, weight, bias *tensor.Tensor) *tensor.Tensor {
			y := s.spread(x).Linear(weight, bias)
			if c.GatherOutput {
				return s.gather(y, outputs)
			}
			return y
		}
		return nil
	case lookup:
		p := m.Lookup()
		if err := s.divide(name, p.Weight, cut{axis: 1}); err != nil {
			return err
		}
		width := s.cuts[p.Weight].extent
		*p.Compute = func(weight, index *tensor.Tensor) *tensor.Tensor {
			return s.gather(embedded(weight, index, p.Padding), width)
		}
		return nil
	}
	return unsupported("ColwiseParallel", name, module)
}

func (RowwiseParallel) divide(s *Sharding, name string, module any) error {
	switch m := module.(type) {
	case product:
		p := m.Product()
		if p.Weight == nil {
			return fault(fmt.Sprintf("the weight of %s is quantized, which is not divided", name))
		}
		if err := s.divide(name, p.Weight, cut{axis: 1 - p.Outputs}); err != nil {
			return err
		}
		*p.Compute = func(x, weight, bias *tensor.Tensor) *tensor.Tensor {
			y := s.sum(x.Linear(weight, nil))
			if bias == nil {
				return y
			}
			return y.Add(bias.To(y.DType()))
		}
		return nil
	case lookup:
		p := m.Lookup()
		if err := s.divide(name, p.Weight, cut{axis: 0}); err != nil {
			return err
		}
		first, _ := s.part(s.cuts[p.Weight].extent)
		*p.Compute = func(weight, index *tensor.Tensor) *tensor.Tensor {
			return s.sum(rowsOf(weight, index, first, p.Padding))
		}
		return nil
	}
	return unsupported("RowwiseParallel", name, module)
}

func (Replicate) divide(s *Sharding, _ string, module any) error {
	for _, p := range nn.Parameters(module) {
		p.RegisterHook(func(grad *tensor.Tensor) *tensor.Tensor { return s.total(grad) })
	}
	return nil
}

func unsupported(style, name string, module any) error {
	return fault(fmt.Sprintf("%s currently only supports linear layers and embeddings, and %s is a %T", style, name, module))
}

// rowsOf returns the rows that index names, as far as they are the table's, whose first row has a number; zeros for others.
func rowsOf(weight, index *tensor.Tensor, first int, padding *int) *tensor.Tensor {
	n := weight.Size(0)
	if n == 0 {
		return tensor.Like(weight).Zeros(append(append([]int{}, index.Shape()...), weight.Size(1))...)
	}
	local := index.Long().SubScalar(first)
	elsewhere := local.LtScalar(0).LogicalOr(local.GeScalar(n))
	if padding != nil {
		if at := *padding - first; at >= 0 && at < n {
			padding = &at
		} else {
			padding = nil
		}
	}
	return embedded(weight, local.MaskedFill(elsewhere, 0), padding).MaskedFill(elsewhere.Unsqueeze(-1), 0)
}

func embedded(weight, index *tensor.Tensor, padding *int) *tensor.Tensor {
	if padding != nil {
		return tensor.Embedding(weight, index, tensor.PaddingIndex(*padding))
	}
	return tensor.Embedding(weight, index)
}
