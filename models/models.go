// Package models reads and writes the model folders of Hugging Face: a config.json, which tells the architecture and its sizes, beside the weights in
// safetensors or PyTorch files. The architectures are packages of their own, which read as their definitions.
package models

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cresset/checkpoint"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/hub"
	"cresset/models/bert"
	"cresset/models/gemma2"
	"cresset/models/gpt2"
	"cresset/models/llama"
	"cresset/models/resnet"
	"cresset/models/vit"
	"cresset/nn"
	"cresset/nn/quant"
	"cresset/tensor"
)

// Model is a model of one of the packages below this one: a *llama.Model, …
type Model interface {
	// Settings returns the model's settings, whose JSON is a config.json.
	Settings() any
}

// Decoder is a model that predicts the next token.
type Decoder interface {
	Model
	// Forward returns the scores [batch, tokens, vocabulary] of the tokens after each of ids [batch, tokens].
	Forward(ids *tensor.Tensor) *tensor.Tensor
	// Read is Forward for tokens that come after those that past remembers; it returns the scores that past wants.
	Read(ids *tensor.Tensor, past nn.Past) *tensor.Tensor
	// MaxPositions returns how many tokens a sequence has at most: those of the training.
	MaxPositions() int
}

// LoadOption is an option of Load: On, As, Quantize or Progress.
type LoadOption interface{ load(*options) }

type options struct {
	device   device.Device
	dtype    dtype.DType
	quantize quant.Config
	progress func(done, total int64) error
}

type option func(*options)

func (f option) load(o *options) { f(o) }

// On reads a model onto a device; the CPU unless given.
func On(dev device.Device) LoadOption { return option(func(o *options) { o.device = dev }) }

// As reads a model in a dtype; in that of its config.json unless given, and in float32 where there is none.
func As(dt dtype.DType) LoadOption { return option(func(o *options) { o.dtype = dt }) }

// Quantize has the linear layers of a model that is read quantized, but for an output layer that is tied to the embedding. The weights that they had are given back one
// after the other. A folder whose weights are quantized needs no such option, and refuses it.
func Quantize(config quant.Config) LoadOption {
	return option(func(o *options) { o.quantize = config })
}

// Progress tells how many bytes of how many were read; an error of tell ends Load, which returns it.
func Progress(tell func(done, total int64) error) LoadOption {
	return option(func(o *options) { o.progress = tell })
}

// family is how models of an architecture are made and how their files name what they hold.
type family struct {
	build   func(config []byte, opts ...nn.Option) (Model, error)
	prefix  string            // of the names of all parameters but the output layer's, which files of the bare body lack
	head    string            // how the names of the output layer begin
	ignore  []string          // parts of names in old files of what is no parameter
	renamed map[string]string // parts of names in old files, and what they are now
}

// families are the architectures by the names that transformers has for them.
var families = map[string]family{
	bert.Embeddings:             {build: building(bert.ReadConfig, bert.New), prefix: "bert.", ignore: bertIgnores, renamed: bertRenamed},
	bert.MaskedTokens:           {build: building(bert.ReadConfig, bert.New), prefix: "bert.", head: "cls.", ignore: append([]string{"cls.seq_relationship.", "bert.pooler."}, bertIgnores...), renamed: bertRenamed},
	bert.Classification:         {build: building(bert.ReadConfig, bert.New), prefix: "bert.", head: "classifier.", ignore: bertIgnores, renamed: bertRenamed},
	"ViTForImageClassification": {build: building(vit.ReadConfig, vit.New), prefix: "vit.", head: "classifier."},
	resnet.Basic:                {build: building(resnet.ReadConfig, resnet.New)},
	resnet.Bottleneck:           {build: building(resnet.ReadConfig, resnet.New)},
	"Gemma2ForCausalLM":         {build: building(gemma2.ReadConfig, gemma2.New), prefix: "model.", head: "lm_head."},
	"GPT2LMHeadModel":           {build: building(gpt2.ReadConfig, gpt2.New), prefix: "transformer.", head: "lm_head.", ignore: []string{".attn.bias", ".attn.masked_bias"}},
	"LlamaForCausalLM":          {build: building(llama.ReadConfig, llama.New), prefix: "model.", head: "lm_head.", ignore: []string{".rotary_emb.inv_freq"}},
	"MistralForCausalLM":        {build: building(llama.ReadConfig, llama.New), prefix: "model.", head: "lm_head."},
	"Qwen2ForCausalLM":          {build: building(llama.ReadConfig, llama.New), prefix: "model.", head: "lm_head."},
	"Qwen3ForCausalLM":          {build: building(llama.ReadConfig, llama.New), prefix: "model.", head: "lm_head."},
}

// What old files of BERT have beside its parameters, and the names that its norms had.
var (
	bertIgnores = []string{"embeddings.position_ids"}
	bertRenamed = map[string]string{"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
)

// building makes a family's function of those of its package.
func building[C any, M Model](read func(config []byte) (C, error), make func(c C, opts ...nn.Option) (M, error)) func([]byte, ...nn.Option) (Model, error) {
	return func(config []byte, opts ...nn.Option) (Model, error) {
		c, err := read(config)
		if err != nil {
			return nil, err
		}
		m, err := make(c, opts...)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}

// Architectures returns the names of the architectures that Load knows, in order.
func Architectures() []string { return slices.Sorted(maps.Keys(families)) }

// ConfigError is a config.json that cannot be used: what it asks for is not implemented or makes no sense.
type ConfigError = hub.Error

// Error is a folder that Load cannot use.
type Error struct {
	Dir string
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("load %s: %v", e.Dir, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Load reads the model of a folder: a config.json and its weights in safetensors, of one file or several with an index, or PyTorch files. It comes in evaluation mode.
// What the folder asks for and cresset lacks is an *Error that names it.
func Load(dir string, opts ...LoadOption) (Model, error) {
	m, err := load(dir, opts)
	if err != nil {
		return nil, &Error{dir, err}
	}
	return m, nil
}

func load(dir string, opts []LoadOption) (Model, error) {
	var o options
	for _, opt := range opts {
		opt.load(&o)
	}
	text, err := hub.Read(dir)
	if err != nil {
		return nil, err
	}
	config, err := hub.Parse(text)
	if err != nil {
		return nil, err
	}
	f, known := families[config.Architecture()]
	if !known {
		return nil, hub.Unsupported("architectures", fmt.Sprintf("%q", config.Architecture()), Architectures()...)
	}
	if o.dtype == dtype.Undefined {
		if o.dtype, err = config.DType(); err != nil {
			return nil, err
		}
	}
	stored, keep, err := readQuantization(config)
	switch {
	case err != nil:
		return nil, err
	case stored != nil && o.quantize != nil:
		return nil, &hub.Error{Key: quantizationKey, Err: fmt.Sprintf("the weights are quantized already, as %v", stored)}
	}
	var m Model
	if bad := tensor.Try(func() { m, err = f.build(text, nn.On(device.Meta), nn.As(o.dtype)) }); bad != nil || err != nil {
		return nil, cmp.Or(err, bad)
	}
	if stored != nil {
		if err := tensor.Try(func() { quant.Prepare(m, stored, quant.Filter(keep)) }); err != nil {
			return nil, err
		}
	}
	rename, err := f.names(dir, m)
	if err != nil {
		return nil, err
	}
	settings := []checkpoint.LoadOption{checkpoint.Rename(rename)}
	if o.progress != nil {
		settings = append(settings, checkpoint.Progress(o.progress))
	}
	if o.quantize == nil {
		if err := tensor.Try(func() { nn.ToEmpty(m, o.device) }); err != nil {
			return nil, err
		}
	} else {
		alike := func() (Model, error) { return f.build(text, nn.On(device.Meta), nn.As(o.dtype)) }
		quantizing, err := o.quantizing(m, alike)
		if err != nil {
			return nil, err
		}
		settings = append(settings, quantizing)
	}
	return nn.Eval(m), checkpoint.Load(dir, m, settings...)
}

// names returns what a folder's files name differently from the model. Numbers of quantized weights must be whole ones there.
func (f family) names(dir string, m Model) (func(string) string, error) {
	file, err := checkpoint.Open(dir)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	bare := !slices.ContainsFunc(file.Entries(), func(e checkpoint.Entry) bool { return strings.HasPrefix(e.Name, f.prefix) })
	state := nn.State(m)
	for _, e := range file.Entries() {
		if x := state[e.Name]; x != nil && !x.DType().IsFloat() && x.DType() != e.Type {
			return nil, fmt.Errorf("%s is of %s where a quantized weight has %s", e.Name, e.DType, x.DType())
		}
	}
	return func(name string) string {
		if slices.ContainsFunc(f.ignore, func(part string) bool { return strings.Contains(name, part) }) {
			return ""
		}
		for old, now := range f.renamed {
			name = strings.Replace(name, old, now, 1)
		}
		if bare && !strings.HasPrefix(name, f.head) {
			return f.prefix + name
		}
		return name
	}, nil
}
