package optim

// The options of each schedule are values of an interface of its own; what a schedule does not take does not compile.
type (
	// StepLROption is an option of NewStepLR and NewMultiStepLR.
	StepLROption interface{ stepLR(*rates) }
	// CosineAnnealingLROption is an option of NewCosineAnnealingLR and NewCosineAnnealingWarmRestarts.
	CosineAnnealingLROption interface {
		CosineAnnealingWarmRestartsOption
		cosine(*rates)
	}
	// CosineAnnealingWarmRestartsOption is an option of NewCosineAnnealingWarmRestarts.
	CosineAnnealingWarmRestartsOption interface{ restarts(*rates) }
	// LinearLROption is an option of NewLinearLR.
	LinearLROption interface{ linear(*rates) }
	// ConstantLROption is an option of NewConstantLR.
	ConstantLROption interface{ constant(*rates) }
	// PolynomialLROption is an option of NewPolynomialLR.
	PolynomialLROption interface{ polynomial(*rates) }
	// OneCycleLROption is an option of NewOneCycleLR.
	OneCycleLROption interface{ oneCycle(*rates) }
	// CyclicLROption is an option of NewCyclicLR.
	CyclicLROption interface{ cyclic(*rates) }
	// ReduceLROnPlateauOption is an option of NewReduceLROnPlateau.
	ReduceLROnPlateauOption interface{ plateau(*rates) }

	// GammaOption is what Gamma returns.
	GammaOption interface {
		StepLROption
		CyclicLROption
	}
	// TotalItersOption is what TotalIters returns.
	TotalItersOption interface {
		LinearLROption
		ConstantLROption
		PolynomialLROption
	}
	// FactorOption is what Factor returns.
	FactorOption interface {
		ConstantLROption
		ReduceLROnPlateauOption
	}
	// CycleOption is what CycleMomentum, BaseMomentum and MaxMomentum return.
	CycleOption interface {
		OneCycleLROption
		CyclicLROption
	}
)

// rates are the settings of all schedules.
type rates struct {
	gamma, factor, start, end, power, low float64
	steps, mult                           int

	warm, div, finalDiv       float64
	threePhase, cycleMomentum bool
	base, high                []float64 // momentums
	up, down                  int
	shape                     CyclicMode
	scale                     func(x float64) float64
	byStep                    bool
	anneal                    Anneal
	mode                      PlateauMode
	threshold, eps            float64
	absolute                  bool
	patience, cooldown        int
	lowest                    []float64
}

// rateOption sets one of them. It satisfies every interface; which schedules take it, the result type of its constructor says.
type rateOption func(*rates)

func (set rateOption) stepLR(r *rates)     { set(r) }
func (set rateOption) cosine(r *rates)     { set(r) }
func (set rateOption) restarts(r *rates)   { set(r) }
func (set rateOption) linear(r *rates)     { set(r) }
func (set rateOption) constant(r *rates)   { set(r) }
func (set rateOption) polynomial(r *rates) { set(r) }
func (set rateOption) oneCycle(r *rates)   { set(r) }
func (set rateOption) cyclic(r *rates)     { set(r) }
func (set rateOption) plateau(r *rates)    { set(r) }

// Gamma is the factor of NewStepLR and NewMultiStepLR, 0.1 unless given, and that of each step of NewCyclicLR's ExpRange, 1 unless given.
func Gamma(v float64) GammaOption { return rateOption(func(r *rates) { r.gamma = v }) }

// EtaMin is the lowest learning rate of NewCosineAnnealingLR and NewCosineAnnealingWarmRestarts, 0 unless given.
func EtaMin(lr float64) CosineAnnealingLROption { return rateOption(func(r *rates) { r.low = lr }) }

// TMult is by how much each period of NewCosineAnnealingWarmRestarts is longer than the one before, 1 unless given.
func TMult(n int) CosineAnnealingWarmRestartsOption {
	return rateOption(func(r *rates) { r.mult = n })
}

// StartFactor is the part of the learning rate at which NewLinearLR starts, 1/3 unless given.
func StartFactor(v float64) LinearLROption { return rateOption(func(r *rates) { r.start = v }) }

// EndFactor is the part of the learning rate at which NewLinearLR ends, 1 unless given.
func EndFactor(v float64) LinearLROption { return rateOption(func(r *rates) { r.end = v }) }

// TotalIters is the number of steps after which NewLinearLR, NewConstantLR and NewPolynomialLR have arrived, 5 unless given.
func TotalIters(n int) TotalItersOption { return rateOption(func(r *rates) { r.steps = n }) }

// Power is the exponent of NewPolynomialLR, 1 unless given.
func Power(v float64) PolynomialLROption { return rateOption(func(r *rates) { r.power = v }) }

// Factor is the part of the learning rate that NewConstantLR begins with, 1/3 unless given, and that NewReduceLROnPlateau keeps,
// 0.1 unless given.
func Factor(v float64) FactorOption { return rateOption(func(r *rates) { r.factor = v }) }
