package bench

import (
	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/models"
	"cresset/models/gpt2"
	"cresset/models/llama"
	"cresset/nn"
	"cresset/nn/quant"
	"cresset/tensor"
)

// A decoder writes one token more behind 512 to 1023.
type decoder struct {
	name                string
	make                func(opts ...nn.Option) (models.Decoder, error)
	layers, heads, size int // of keys and values
	weights             int // that a token reads
}

const (
	fewestTokens = 512
	mostTokens   = 1024
)

// decoders are GPT-2 small and a model of the sizes of Llama 3.2 1B.
func decoders() []decoder {
	small := gpt2.Config{Vocabulary: 50257, Positions: mostTokens, Width: 768, Layers: 12, Heads: 12}
	billion := llama.Config{Vocabulary: 128256, Width: 2048, Hidden: 8192, Layers: 16, Heads: 32, KeyValueHeads: 8, HeadSize: 64, Positions: 131072, Tied: true,
		RoPE: llama.RoPE{Theta: 500000}}
	return []decoder{
		{"gpt2_decode", func(opts ...nn.Option) (models.Decoder, error) { return gpt2.New(small, opts...) }, 12, 12, 64, 768*50257 + 12*12*768*768},
		{"llama1b_decode", func(opts ...nn.Option) (models.Decoder, error) { return llama.New(billion, opts...) }, 16, 8, 64,
			2048*128256 + 16*(2048*(2*2048+2*512)+3*2048*8192)},
	}
}

// quantized is the decoder with layers of another form, of which a number has so many bytes; those of the embedding stay, which the output layer shares.
func (d decoder) quantized(form string, bytes float64, config quant.Config, embedded int) decoder {
	create := d.make
	d.name += "_" + form
	d.make = func(opts ...nn.Option) (models.Decoder, error) {
		m, err := create(opts...)
		if err != nil {
			return nil, err
		}
		return quant.Prepare(m, config), nil
	}
	d.weights = embedded + int(float64(d.weights-embedded)*bytes/2)
	return d
}

// of returns the step of a decoder whose past is a KVCache, or where it is compiled or a graph a StaticKVCache, and the bytes that it reads at least.
func (d decoder) of(dt dtype.DType, compiled, graph bool) Case {
	c := Case{Name: d.name, Unit: "B", Work: float64((d.weights + 2*d.layers*d.heads*d.size*fewestTokens) * dt.Size())}
	if compiled {
		c.Name += "_compiled"
	}
	if graph {
		c.Name += "_graph"
	}
	c.Name += "/" + dt.Name()
	made := func(dev device.Device) (net models.Decoder, id, before *tensor.Tensor) {
		m, err := d.make(nn.On(dev), nn.As(dt))
		refuse(err)
		return nn.Frozen(m), tensor.On(dev).As(dtype.Int64).Ones(1, 1), tensor.On(dev).As(dt).Randn(1, d.heads, fewestTokens, d.size)
	}
	static := func(graph bool) func(dev device.Device) func() {
		return func(dev device.Device) func() {
			net, id, before := made(dev)
			return d.static(net, id, before, compiled, graph)
		}
	}
	switch {
	case graph:
		c.Make, c.Step = static(true), static(false)
	case compiled:
		c.Make = static(false)
	default:
		c.Make = func(dev device.Device) func() { return d.growing(made(dev)) }
	}
	return c
}

// growing returns the step op by op over a KVCache.
func (d decoder) growing(net models.Decoder, id, before *tensor.Tensor) func() {
	cache := &nn.KVCache{}
	return func() {
		if n := cache.Length(); n == 0 || n == mostTokens {
			cache = &nn.KVCache{Room: mostTokens}
			d.remember(cache, before)
		}
		step(func(s *tensor.Scope) { net.Read(s.Enter(id), cache) })
	}
}

// static returns the step over keys and values that stay where they are.
func (d decoder) static(net models.Decoder, id, before *tensor.Tensor, compiled, graph bool) func() {
	cache := nn.NewStaticKVCache(id.Device(), 1, mostTokens)
	d.remember(cache, before)
	read := func(id *tensor.Tensor) *tensor.Tensor { return net.Read(id, cache) }
	if compiled {
		read = tensor.Compile(read)
	}
	run := func() error {
		step(func(s *tensor.Scope) { read(s.Enter(id)) })
		return nil
	}
	if graph {
		if compiled {
			refuse(run()) // what is captured has been recorded
		}
		index, _ := id.Device().Index()
		g, err := cuda.Capture(run, index)
		refuse(err)
		run = g.Replay
	}
	return func() {
		if cache.Length() == mostTokens {
			cache.Reset()
			d.remember(cache, before)
		}
		refuse(run())
	}
}

// remember has a cache see tokens of given keys and values.
func (d decoder) remember(cache nn.Past, x *tensor.Tensor) {
	for i := range d.layers {
		cache.Attend(i, x, x, x, nn.Attention{})
	}
}

// decoding are steps of decoders op by op, compiled, and as graphs. Those of GPT-2 op by op are cases of the CPU too.
func decoding() (cases []Case) {
	for _, d := range decoders() {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
			if d.name != "gpt2_decode" {
				cases = append(cases, d.of(dt, false, false))
			}
			cases = append(cases, d.of(dt, true, false), d.of(dt, false, true), d.of(dt, true, true))
		}
	}
	billion := decoders()[1]
	for _, f := range quantizedForms {
		d := billion.quantized(f.name, f.bytes, f.config, 2048*128256)
		cases = append(cases, d.of(dtype.BFloat16, false, true), d.of(dtype.BFloat16, true, true))
	}
	return cases
}
