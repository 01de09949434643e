package tensor

// KeepDim keeps the axes over which a reduction goes, with extent 1; they disappear unless it is given.
type KeepDim bool

// kept returns the last of them, false where there is none.
func kept(keep []KeepDim) bool { return len(keep) > 0 && bool(keep[len(keep)-1]) }

// Descending makes Sort begin with the largest.
type Descending bool

// Largest makes TopK choose the largest elements, as it does unless given, or the smallest.
type Largest bool

// VarOption is an option of VarAxes and StdAxes: KeepDim or Correction.
type VarOption interface{ varOption() }

// Correction is what VarAxes and StdAxes take from the number of elements before they divide by it, 1 unless given.
type Correction float64

func (KeepDim) varOption()    {}
func (Correction) varOption() {}

// DropoutOption is an option of Dropout: Training, or a *Generator to draw from.
type DropoutOption interface{ dropoutOption() }

// Training makes Dropout drop, as it does unless given, or return its input.
type Training bool

func (Training) dropoutOption()   {}
func (*Generator) dropoutOption() {}

// GradOption is an option of Grad: AllowUnused, or what Backward takes.
type GradOption interface{ gradOption() }

// BackwardOption is an option of Backward and of Grad: RetainGraph or Gradient.
type BackwardOption interface {
	GradOption
	backwardOption()
}

// RetainGraph keeps saved values, so that the graph can be walked again.
type RetainGraph bool

// AllowUnused makes Grad return nil for an input that the output does not depend on.
type AllowUnused bool

// Gradient starts from g instead of ones; it must have the shape of the tensor that is differentiated.
func Gradient(g *Tensor) BackwardOption { return startGradient{g} }

type startGradient struct{ *Tensor }

func (RetainGraph) gradOption()       {}
func (RetainGraph) backwardOption()   {}
func (startGradient) gradOption()     {}
func (startGradient) backwardOption() {}
func (AllowUnused) gradOption()       {}
