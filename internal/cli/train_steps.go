package cli

import (
	"iter"
	"math"

	"cresset/optim"
	"cresset/tensor"
)

// attends reports whether the model is a transformer, which has more of its own usual settings.
func (c *trainCommand) attends() bool { return c.Model == "vit" || c.Model == "gpt" }

// batch returns how many samples are computed at once.
func (c *trainCommand) batch() int {
	if c.Model == "gpt" {
		return or(c.Batch, 10)
	}
	return or(c.Batch, 64)
}

func (c *trainCommand) clip() float64 {
	if c.attends() {
		return or(c.Step.Clip, 1)
	}
	return or(c.Step.Clip, 0)
}

func (c *trainCommand) optimizerName() string {
	switch {
	case c.Optimizer != "":
		return c.Optimizer
	case c.attends():
		return "adamw"
	default:
		return "adam"
	}
}

// newOptimizer returns the optimizer that was asked for; a learning rate of 0 stands for its usual one.
func (c *trainCommand) newOptimizer(ps iter.Seq2[string, *tensor.Tensor]) optim.Optimizer {
	lr := func(usual float64) optim.Option {
		if c.LR == 0 {
			return optim.LR(usual)
		}
		return optim.LR(c.LR)
	}
	name := c.optimizerName()
	others, matrices := c.decay(name)
	betas := optim.Betas(0.9, 0.999)
	adam := 1e-3
	if c.Model == "gpt" {
		betas, adam = optim.Betas(0.9, 0.95), 3e-3
	}
	switch name {
	case "sgd":
		return optim.NewSGD(ps, lr(0.1), others, matrices)
	case "momentum":
		return optim.NewSGD(ps, lr(0.05), optim.Momentum(0.9), others, matrices)
	case "adamw":
		return optim.NewAdamW(ps, lr(adam), betas, others, matrices)
	default:
		return optim.NewAdam(ps, lr(adam), betas, others, matrices)
	}
}

// decay returns the weight decay of biases and norms, and that of matrices. Models that are no transformers have one for all unless told.
func (c *trainCommand) decay(optimizer string) (others, matrices optim.WeightDecayOption) {
	rate, given := 0.0, c.Step.WeightDecay != nil
	switch {
	case given:
		rate = *c.Step.WeightDecay
	case optimizer == "adamw" && c.attends():
		rate = 0.1
	case optimizer == "adamw":
		rate = 0.01
	}
	if !given && !c.attends() {
		return optim.WeightDecay(rate), optim.WeightDecay(rate)
	}
	isMatrix := func(_ string, p *tensor.Tensor) bool { return p.Dim() >= 2 }
	return optim.WeightDecay(0), optim.For(isMatrix, optim.WeightDecay(rate))
}

// newSchedule returns how the learning rate of a training of so many steps changes; nil where it does not.
func (c *trainCommand) newSchedule(o optim.Optimizer, steps int) optim.Schedule {
	cosine, warmup := c.cosine(), or(c.Step.Warmup, 0)
	if c.attends() && c.Step.Warmup == nil {
		warmup = steps / 20
	}
	if !cosine && warmup == 0 {
		return nil
	}
	const least = 0.1 // of the highest
	return optim.NewLambdaLR(o, func(n int) float64 {
		switch {
		case n < warmup:
			return float64(n+1) / float64(warmup+1)
		case !cosine:
			return 1
		default:
			done := math.Min(1, float64(n-warmup)/float64(max(1, steps-warmup)))
			return least + (1-least)/2*(1+math.Cos(math.Pi*done))
		}
	})
}

func (c *trainCommand) cosine() bool {
	return c.Step.Schedule == "cosine" || c.Step.Schedule == "" && c.attends()
}
