package tensor

// KeepDim keeps the axes over which a reduction goes, with extent 1; they disappear unless it is given.
type KeepDim bool

func kept(keep []KeepDim) bool { return last(keep, false) }

// last returns the last of the options that were given, or usual where there is none.
func last[O ~bool](given []O, usual O) bool {
	if len(given) == 0 {
		return bool(usual)
	}
	return bool(given[len(given)-1])
}

// Descending makes Sort begin with the largest.
type Descending bool

// Largest makes TopK choose the largest elements, as it does unless given, or the smallest.
type Largest bool

// NaNToNumOption is an option of NaNToNum: NaN, PosInf or NegInf.
type NaNToNumOption interface{ nanToNumOption() }

// NaN is what NaNToNum puts in the place of NaN, 0 unless given.
type NaN float64

// PosInf is what NaNToNum puts in the place of ∞, the largest number of the dtype unless given.
type PosInf float64

// NegInf is what NaNToNum puts in the place of -∞, the least number of the dtype unless given.
type NegInf float64

func (NaN) nanToNumOption()    {}
func (PosInf) nanToNumOption() {}
func (NegInf) nanToNumOption() {}

// VarOption is an option of VarAxes and StdAxes: KeepDim or Correction.
type VarOption interface{ varOption() }

// Correction is what VarAxes and StdAxes take from the number of elements before they divide by it, 1 unless given.
type Correction float64

func (KeepDim) varOption()    {}
func (Correction) varOption() {}

// DropoutOption is an option of Dropout: Training, or a *Generator to draw from.
type DropoutOption interface{ dropoutOption() }

// Training makes Dropout drop, as it does unless given, or return its input; and BatchNorm normalise by the batch, or by the
// running statistics, as it does unless given.
type Training bool

// BatchNormOption is an option of BatchNorm: Training, Momentum or Eps.
type BatchNormOption interface{ batchNormOption() }

// Momentum is the share of the batch in the running statistics of BatchNorm, 0.1 unless given.
type Momentum float64

// Eps is what BatchNorm and LayerNorm add to the variance, 1e-5 unless given; other functions that take it say what it is.
type Eps float64

func (Training) batchNormOption() {}
func (Momentum) batchNormOption() {}
func (Eps) batchNormOption()      {}
func (Training) dropoutOption()   {}
func (*Generator) dropoutOption() {}

// GradOption is an option of Grad: AllowUnused, MaterializeGrads, or what Backward takes.
type GradOption interface{ gradOption() }

// BackwardOption is an option of Backward and of Grad: RetainGraph, CreateGraph, ReleaseSaved or Gradient.
type BackwardOption interface {
	GradOption
	backwardOption()
}

// RetainGraph keeps saved values, so that the graph can be walked again.
type RetainGraph bool

// ReleaseSaved gives back what gradients were computed from: a result that gradients needed, whose memory belongs to a scope, is released once no graph needs it any more,
// as PyTorch does where no variable holds it; here nobody could tell. So read such results, as the output of the model, before Backward, but for the tensor that is differentiated. Inputs
// and leaves stay. With RetainGraph and CreateGraph nothing is given back, nor what belongs to no scope, which the collector finds.
type ReleaseSaved bool

// CreateGraph records the computation of gradients, so that they can be differentiated in turn. It implies RetainGraph. The
// gradients that Grad returns belong to the scope of the tensor that is differentiated, as what is computed from it does.
type CreateGraph bool

// AllowUnused makes Grad return nil for an input that the output does not depend on.
type AllowUnused bool

// MaterializeGrads makes Grad return zeros for an input that the output does not depend on.
type MaterializeGrads bool

// Gradient starts from g instead of ones; it must have the shape of the tensor that is differentiated.
func Gradient(g *Tensor) BackwardOption { return startGradient{g} }

type startGradient struct{ tensor *Tensor }

func (ReleaseSaved) gradOption()      {}
func (RetainGraph) gradOption()       {}
func (RetainGraph) backwardOption()   {}
func (CreateGraph) gradOption()       {}
func (CreateGraph) backwardOption()   {}
func (ReleaseSaved) backwardOption()  {}
func (startGradient) gradOption()     {}
func (startGradient) backwardOption() {}
func (AllowUnused) gradOption()       {}
func (MaterializeGrads) gradOption()  {}
