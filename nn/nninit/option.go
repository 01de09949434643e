package nninit

import "cresset/tensor"

// Option is an option of all functions that take options.
type Option interface {
	GainOption
	KaimingOption
}

// GainOption is an option of XavierUniform, XavierNormal and Orthogonal.
type GainOption interface{ setGain(*options) }

// KaimingOption is an option of KaimingUniform and KaimingNormal: a Fan, a Nonlinearity, Slope or With.
type KaimingOption interface{ setKaiming(*options) }

// Fan says what KaimingUniform and KaimingNormal keep the variance of.
type Fan string

// FanIn keeps the variance of what goes forward, FanOut that of the gradients.
const (
	FanIn  Fan = "fan_in"
	FanOut Fan = "fan_out"
)

// Nonlinearity is what follows a layer, by PyTorch's name.
type Nonlinearity string

// These are the nonlinearities of which CalculateGain knows the gain.
const (
	Linear    Nonlinearity = "linear"
	Sigmoid   Nonlinearity = "sigmoid"
	Tanh      Nonlinearity = "tanh"
	ReLU      Nonlinearity = "relu"
	LeakyReLU Nonlinearity = "leaky_relu"
	SELU      Nonlinearity = "selu"
)

type options struct {
	gain, slope  float64
	fan          Fan
	nonlinearity Nonlinearity
	generator    *tensor.Generator // nil is the device's own
}

type option func(*options)

func (set option) setGain(o *options)    { set(o) }
func (set option) setKaiming(o *options) { set(o) }

func (f Fan) setKaiming(o *options)          { o.fan = f }
func (n Nonlinearity) setKaiming(o *options) { o.nonlinearity = n }

// Gain is the factor of all values, 1 unless given.
func Gain(v float64) GainOption { return option(func(o *options) { o.gain = v }) }

// Slope is the slope of LeakyReLU below zero, 0 unless given.
func Slope(v float64) KaimingOption { return option(func(o *options) { o.slope = v }) }

// With draws from a generator, the device's own unless given.
func With(g *tensor.Generator) Option { return option(func(o *options) { o.generator = g }) }

func readGain(opts []GainOption) *options {
	o := &options{gain: 1}
	for _, opt := range opts {
		opt.setGain(o)
	}
	return o
}

func readKaiming(opts []KaimingOption) *options {
	o := &options{fan: FanIn, nonlinearity: LeakyReLU}
	for _, opt := range opts {
		opt.setKaiming(o)
	}
	return o
}
