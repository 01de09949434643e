package cli

import (
	"fmt"
	"math"
	"slices"

	"cresset/data"
	"cresset/dtype"
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
		clipGradients(net, clip)
	}
	m.scaler.Step(o)
	m.scaler.Update()
}

// mostSkipped is how many losses in a row may be Inf or NaN where losses are scaled: batches that overflow float16 are rare, while parameters
// that do so go on with every batch.
const mostSkipped = 10

// diverged returns why training ends with the last of its losses, which is not finite. Scaled losses may be that: the scaler has skipped the
// step and lowered the scale, so it ends only where that goes on, or no scale is left to lower.
func (m *mixed) diverged(losses []float64, lr float64) error {
	problem := fmt.Sprintf("the loss is %v after %d batches", losses[len(losses)-1], len(losses))
	hint := fmt.Sprintf("try a lower learning rate: --lr %.3g", lr/10)
	if m.scaler.IsEnabled() {
		skipped := 0
		for _, loss := range slices.Backward(losses) {
			if finite(loss) {
				break
			}
			skipped++
		}
		scale := m.scaler.CurrentScale()
		if skipped < mostSkipped && scale >= 1 {
			return nil
		}
		problem += fmt.Sprintf(", not finite in the last %d, whose steps were skipped, and the scale is %v", skipped, scale)
		hint += "; --amp bf16 has the range of float32"
	}
	return &advice{fmt.Errorf("%s: training has diverged", problem), hint}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
