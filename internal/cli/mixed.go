package cli

import (
	"cresset/data"
	"cresset/dtype"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// ampTypes are the dtypes of --amp.
var ampTypes = map[string]dtype.DType{"bf16": dtype.BFloat16, "f16": dtype.Float16}

// mixed is how a training computes: in float32, or with Autocast in a lower dtype, where float16 needs scaled losses.
type mixed struct {
	low    dtype.DType // Undefined: float32 alone
	scaler *optim.GradScaler
}

// mixed returns what --amp asks for.
func (c *trainCommand) mixed() mixed {
	low := ampTypes[c.Step.AMP]
	return mixed{low, optim.NewGradScaler(optim.Enabled(low == dtype.Float16))}
}

// enter returns a batch whose loss is computed in the lower dtype, and what gives the memory of that back.
func (m *mixed) enter(b data.Batch) (in data.Batch, done func()) {
	if m.low == dtype.Undefined {
		return b, func() {}
	}
	s := tensor.NewScope(tensor.Autocast(m.low))
	b.Inputs = s.Enter(b.Inputs)
	return b, s.Close
}

// step changes the parameters by their gradients, which are at most clip long unless that is 0.
func (m *mixed) step(o optim.Optimizer, net any, clip float64) {
	if clip > 0 {
		m.scaler.Unscale(o)
		nn.ClipGradNorm(nn.Parameters(net), clip)
	}
	m.scaler.Step(o)
	m.scaler.Update()
}
