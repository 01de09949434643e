package bench

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/models/gpt2"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// ofCharacters trains a GPT on rows of characters, with decay of its matrices alone.
func ofCharacters(layers, heads, width, batch, block int) func(device.Device) lesson {
	const characters = 65
	return ofTexts(gpt2.Config{Vocabulary: characters, Positions: block, Width: width, Layers: layers, Heads: heads, Activation: "gelu"}, batch)
}

// ofTexts trains a GPT on rows of tokens that are as long as it reads, with decay of its matrices alone.
func ofTexts(c gpt2.Config, batch int) func(device.Device) lesson {
	return func(dev device.Device) lesson {
		net := gpt(c, nn.On(dev))
		isMatrix := func(_ string, p *tensor.Tensor) bool { return p.Dim() >= 2 }
		next := tensor.On(dev).RandInt(0, c.Vocabulary, batch*c.Positions)
		return lesson{
			input: tensor.On(dev).RandInt(0, c.Vocabulary, batch, c.Positions),
			opt:   optim.NewAdamW(nn.Parameters(net), optim.WeightDecay(0), optim.For(isMatrix, optim.WeightDecay(0.1))),
			loss: func(ids *tensor.Tensor) *tensor.Tensor {
				return tensor.CrossEntropy(net.Forward(ids).Flatten(0, 1), next)
			},
		}
	}
}

// gpt2Small has 124 million parameters.
var gpt2Small = gpt2.Config{Vocabulary: 50257, Positions: 1024, Width: 768, Layers: 12, Heads: 12}

func gpt(c gpt2.Config, opts ...nn.Option) *gpt2.Model {
	net, err := gpt2.New(c, opts...)
	if err != nil {
		panic(err) // the sizes fit each other
	}
	return net
}

// texts are GPT-2 of 124 million parameters that reads a prompt, and that writes one token more with 512 to 1023 before it.
func texts() []Case {
	small := gpt2Small
	const prompt, head, layer = 512, 768 * 50257, 12 * 768 * 768
	const weights, remembered = head + 12*layer, 2 * 12 * 768 * prompt // that a token reads
	cases := []Case{{Name: "gpt2_prompt/512", Unit: "FLOP", Work: prompt * (2*weights + remembered), Make: func(dev device.Device) func() {
		net := nn.Frozen(gpt(small, nn.On(dev)))
		ids := tensor.On(dev).RandInt(0, small.Vocabulary, 1, prompt)
		return func() { step(func(s *tensor.Scope) { net.Forward(s.Enter(ids)) }) }
	}}}
	for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
		cases = append(cases, decoders()[0].of(dt, false, false))
	}
	return cases
}
