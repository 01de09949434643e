package optim

import (
	"cmp"
	"maps"
	"slices"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/statedict"
	"cresset/tensor"
)

// GradScaler multiplies losses by a scale, so that gradients in float16 do not vanish, and divides gradients by it before a step. A step whose
// gradients are not finite is skipped, and the scale becomes smaller; after some steps that were not it becomes larger:
//
//	scaler.Scale(loss).Backward()
//	scaler.Unscale(opt) // where gradients are clipped
//	nn.ClipGradNorm(nn.Parameters(net), 1)
//	scaler.Step(opt)
//	scaler.Update()
//
// On a GPU the scale, and what was found, stay there: nothing waits for them. Muon, Adafactor, LBFGS and optimizers of other packages
// wait, since their steps are made of several kernels. It is a checkpoint.Stateful.
type GradScaler struct {
	settings      scalerSettings
	first         float64        // the scale, until it has a place
	steps         int            // since the scale was changed, until it has a place
	scale, growth *tensor.Tensor // the scale, and the steps since it was changed, where losses are; nil until one was scaled
	optimizers    map[Optimizer]*unscaled
}

// GradScalerOption is an option of NewGradScaler: InitScale, GrowthFactor, BackoffFactor, GrowthInterval, Enabled or FoundInf.
type GradScalerOption interface{ setScaler(s *scalerSettings) }

// InitScale is the scale of a GradScaler at first, 65536 unless given.
type InitScale float64

// GrowthFactor is what a GradScaler's scale grows by, 2 unless given.
type GrowthFactor float64

// BackoffFactor is what a GradScaler's scale is multiplied by after a step that was skipped, 0.5 unless given.
type BackoffFactor float64

// GrowthInterval is after how many steps without one that was skipped a GradScaler's scale grows, 2000 unless given.
type GrowthInterval int

// Enabled says whether a GradScaler scales, as it does unless told otherwise, or leaves losses and steps as they are.
type Enabled bool

// FoundInf is called by Unscale with what it found, 1 where a gradient on some device is not finite and 0 where all are, and may change it: ranks that have parts of gradients agree
// on the largest.
type FoundInf func(found *tensor.Tensor)

type scalerSettings struct {
	init, growth, backoff float64
	interval              int
	enabled               bool
	found                 FoundInf
}

func (v InitScale) setScaler(s *scalerSettings)      { s.init = float64(v) }
func (v GrowthFactor) setScaler(s *scalerSettings)   { s.growth = float64(v) }
func (v BackoffFactor) setScaler(s *scalerSettings)  { s.backoff = float64(v) }
func (v GrowthInterval) setScaler(s *scalerSettings) { s.interval = int(v) }
func (v Enabled) setScaler(s *scalerSettings)        { s.enabled = bool(v) }
func (v FoundInf) setScaler(s *scalerSettings)       { s.found = v }

// unscaled is what is known of an optimizer since the last Update.
type unscaled struct {
	found   map[device.Device]*tensor.Tensor // 1 where a gradient there was not finite
	stepped bool
}

// NewGradScaler returns a scaler, with PyTorch's constants unless told otherwise. It panics where the scale would not grow, or not fall.
func NewGradScaler(opts ...GradScalerOption) *GradScaler {
	s := scalerSettings{init: 65536, growth: 2, backoff: 0.5, interval: 2000, enabled: true}
	for _, o := range opts {
		o.setScaler(&s)
	}
	switch {
	case !s.enabled:
	case !(s.growth > 1):
		refuse(tensor.ErrValue, "The growth factor must be > 1.0.")
	case !(s.backoff < 1):
		refuse(tensor.ErrValue, "The backoff factor must be < 1.0.")
	}
	return &GradScaler{settings: s, first: s.init, optimizers: make(map[Optimizer]*unscaled)}
}

// IsEnabled reports whether there is a scale.
func (s *GradScaler) IsEnabled() bool { return s.settings.enabled }

// Scale returns x times the scale, in x's dtype.
func (s *GradScaler) Scale(x *tensor.Tensor) *tensor.Tensor {
	if !s.settings.enabled {
		return x
	}
	if s.scale == nil {
		if c := inner.CaptureOf(x); c != nil {
			refuseCaptured(c, "the first loss of a GradScaler, whose scale would begin anew with each replay", "take a step before the capture")
		}
		s.place(x.Device())
	}
	return x.Mul(s.scale.To(x.Device()))
}

// ScaleAll returns each of several losses times the scale.
func (s *GradScaler) ScaleAll(xs []*tensor.Tensor) []*tensor.Tensor {
	out := make([]*tensor.Tensor, len(xs))
	for i, x := range xs {
		out[i] = s.Scale(x)
	}
	return out
}

// place puts the scale where losses are.
func (s *GradScaler) place(dev device.Device) {
	if s.scale != nil && s.scale.Device() == dev { // graphs read it where it is
		s.scale.FillInPlace(float32(s.first))
		s.growth.FillInPlace(int32(s.steps))
		return
	}
	s.scale = tensor.On(dev).Full(nil, float32(s.first))
	s.growth = tensor.On(dev).As(dtype.Int32).Full(nil, int32(s.steps))
}

// placed panics where nothing was scaled.
func (s *GradScaler) placed(what string) {
	if s.scale == nil {
		refuse(tensor.ErrValue, "Attempted "+what+" but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration.")
	}
}

// Unscale divides the gradients of an optimizer's parameters by the scale, before they are clipped; Step does where nobody did.
func (s *GradScaler) Unscale(o Optimizer) {
	if !s.settings.enabled {
		return
	}
	s.placed("unscale_")
	switch u := s.optimizers[o]; {
	case u == nil:
	case u.stepped:
		refuse(tensor.ErrValue, "unscale_() is being called after step().")
	default:
		refuse(tensor.ErrValue, "unscale_() has already been called on this optimizer since the last update().")
	}
	found := make(map[device.Device]*tensor.Tensor)
	scales := make(map[device.Device]*tensor.Tensor)
	steps := inner.NewUpdates()
	defer steps.Drop() // what a panic has left
	for _, g := range o.Groups() {
		for _, p := range g.Params {
			grad := inner.BorrowGrad(p)
			switch {
			case grad == nil:
				continue
			case grad.DType() == dtype.Float16:
				refuse(tensor.ErrValue, "Attempting to unscale FP16 gradients.")
			}
			dev := grad.Device()
			if found[dev] == nil {
				found[dev], scales[dev] = tensor.On(dev).Full(nil, float32(0)), s.scale.To(dev)
			}
			steps.Unscale(grad, scales[dev], found[dev])
		}
	}
	steps.Run()
	if s.settings.found != nil {
		for _, dev := range slices.SortedFunc(maps.Keys(found), func(a, b device.Device) int { return cmp.Compare(a.String(), b.String()) }) {
			s.settings.found(found[dev])
		}
	}
	s.optimizers[o] = &unscaled{found: found}
}

// Step is the optimizer's Step, which changes nothing where a gradient is not finite; the optimizer must not need a closure.
func (s *GradScaler) Step(o Optimizer) {
	if !s.settings.enabled {
		o.Step()
		return
	}
	s.placed("step")
	u := s.optimizers[o]
	if u != nil && u.stepped {
		refuse(tensor.ErrValue, "step() has already been called since the last update().")
	}
	if u == nil {
		s.Unscale(o)
		u = s.optimizers[o]
	}
	if len(u.found) == 0 {
		refuse(tensor.ErrValue, "No inf checks were recorded for this optimizer.")
	}
	found := sumOn(s.scale.Device(), u.found)
	switch a, ok := o.(*Algorithm); {
	case ok && !a.form.composed && onGPUs(u.found):
		a.stepUnless(found)
	case found.Float64() == 0:
		o.Step()
	}
	u.stepped = true
}

func onGPUs(flags map[device.Device]*tensor.Tensor) bool {
	for dev := range flags {
		if !dev.IsCUDA() {
			return false
		}
	}
	return true
}

// sumOn returns the sum of flags on a device, nil where there is none: it is not 0 where one is raised.
func sumOn(dev device.Device, flags map[device.Device]*tensor.Tensor) (sum *tensor.Tensor) {
	for _, f := range flags {
		if f = f.To(dev); sum == nil {
			sum = f
		} else {
			sum = sum.Add(f)
		}
	}
	return sum
}

// Update changes the scale by what the steps since the last Update found, or makes it the one that is given.
func (s *GradScaler) Update(scale ...float64) {
	if !s.settings.enabled {
		return
	}
	s.placed("update")
	if len(scale) > 0 {
		s.scale.FillInPlace(float32(scale[len(scale)-1]))
	} else {
		s.follow()
	}
	clear(s.optimizers)
}

// follow computes the next scale, and how many steps were not skipped since it changed, where the scale is.
func (s *GradScaler) follow() {
	var found *tensor.Tensor
	for _, u := range s.optimizers {
		if f := sumOn(s.scale.Device(), u.found); found == nil {
			found = f
		} else if f != nil {
			found = found.Add(f)
		}
	}
	if found == nil {
		refuse(tensor.ErrValue, "No inf checks were recorded prior to update.")
	}
	skipped := found.GtScalar(0)
	wide := s.scale.Double()
	steps := s.growth.AddScalar(1)
	grows := steps.EqScalar(s.settings.interval)
	larger := wide.MulScalar(s.settings.growth).Float()
	larger = tensor.Where(larger.IsFinite(), larger, s.scale)
	kept := tensor.Where(grows, larger, s.scale)
	s.scale.CopyInPlace(tensor.Where(skipped, wide.MulScalar(s.settings.backoff).Float(), kept))
	s.growth.CopyInPlace(tensor.Where(skipped.LogicalOr(grows), 0, steps))
}

// CurrentScale returns the scale, 1 where the scaler is not enabled. On a GPU it waits for that.
func (s *GradScaler) CurrentScale() float64 {
	switch {
	case !s.settings.enabled:
		return 1
	case s.scale == nil:
		return s.first
	}
	return s.scale.Float64()
}

// StateDict returns the state in PyTorch's form, for checkpoints; nothing where the scaler is not enabled.
func (s *GradScaler) StateDict() map[string]any {
	if !s.settings.enabled {
		return map[string]any{}
	}
	steps := s.steps
	if s.growth != nil {
		steps = int(s.growth.Float64())
	}
	return map[string]any{
		"scale": s.CurrentScale(), "growth_factor": s.settings.growth, "backoff_factor": s.settings.backoff,
		"growth_interval": s.settings.interval, "_growth_tracker": steps,
	}
}

// LoadStateDict replaces the state by one that StateDict, or PyTorch's state_dict, returned. After an error it is as it was.
func (s *GradScaler) LoadStateDict(state map[string]any) error {
	switch {
	case !s.settings.enabled:
		return nil
	case len(state) == 0:
		return statedict.Refusal("The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.")
	}
	d, now := statedict.Read(state), s.settings
	first, steps := d.Float("scale"), d.Int("_growth_tracker")
	now.growth, now.backoff, now.interval = d.Float("growth_factor"), d.Float("backoff_factor"), d.Int("growth_interval")
	if d.Err() != nil {
		return d.Err()
	}
	s.first, s.steps, s.settings = first, steps, now
	if s.scale != nil {
		s.place(s.scale.Device())
	}
	return nil
}
