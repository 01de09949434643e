package op

import "sync/atomic"

// The parameters of ops. Each is a small comparable value; an op that is not named here has none.

// Reduce belongs to reductions over axes: bit i of Axes is set where axis i is reduced.
type Reduce struct {
	Axes       uint32
	Keep       bool    // the reduced axes stay with extent 1
	Correction float64 // Var, Std: the divisor is n - Correction
	P          float64 // Norm: the order
}

// Axis belongs to ops along one axis: ArgMax, CumSum, Softmax, Cat, Gather, IndexSelect and their like. For ArgMax and
// ArgMin an Axis of -1 means all elements.
type Axis struct {
	Axis int
	Keep bool
}

// Number belongs to ops with one or two real parameters: LeakyReLU's slope, Softplus's beta and threshold.
type Number struct{ A, B float64 }

// Bounds belongs to Clamp: a bound that is absent does not limit. Integers are limited by IntLow and IntHigh.
type Bounds struct {
	Low, High       float64
	IntLow, IntHigh int64
	HasLow, HasHigh bool
}

// Range belongs to Arange and Linspace. Arange: element i is Start + i·Step, or IntStart + i·IntStep where the dtype is an
// integer. Linspace: equal steps from Start to End, the second half counted back from End.
type Range struct {
	Start, Step, End  float64
	IntStart, IntStep int64
}

// Triangle belongs to Tril and Triu: 0 is the main diagonal, positive values lie above it.
type Triangle struct{ Offset int }

// Affine belongs to AddMM: out = Beta·in + Alpha·product.
type Affine struct{ Alpha, Beta float64 }

// Quantized belongs to QuantizedLinear, whose operands are x [m, k], a weight, its scales, zero points or none, and a bias or none. A weight of 8 bits is int8 [n, k]
// with a scale for each row. One of 4 bits is int32 [n, k/8], eight numbers from 0 to 15 a word, the first in its lowest bits, with scales [n, k/Group] and zero points of
// eight rows a word [n/8, k/Group], which are 8 where there are none. Scales are float32.
type Quantized struct {
	Bits    int
	Group   int  // of 4 bits: how many elements of a row share a scale
	Dynamic bool // x is rounded to int8 too, by rows
}

// Window belongs to convolutions and pools: extents and steps of a window over the last two axes.
type Window struct {
	Kernel, Stride, Padding, Dilation [2]int
	Groups                            int
	CountPadding                      bool // AvgPool2D: padding counts as zeros in the mean
	Divisor                           int  // AvgPool2D: what a window's sum is divided by; 0: what it covers
	Fast                              bool // convolutions of float32: fewer products at the cost of accuracy are allowed
}

// Resample belongs to Interpolate: along each of the last three axes, the outermost first, how many taps an element of the result has
// at most; 0 for an axis that stays as it is. The taps of all axes follow each other in the operands after the first: places, of
// which a negative one ends an element's taps, and weights.
type Resample struct{ Width [3]int }

// Normalize belongs to BatchNorm, GroupNorm, LayerNorm, RMSNorm and their gradients.
type Normalize struct {
	Eps      float64
	Momentum float64 // BatchNorm: the share of the batch in new running statistics
	Training bool    // BatchNorm: normalise by the batch, not by running statistics
	Axes     int     // LayerNorm, RMSNorm: how many trailing axes are normalised
	Groups   int     // GroupNorm: of channels, each normalised with an image's elements
}

// Attend belongs to Attention and AttentionGrad. Query i stands at place First + i among the keys.
type Attend struct {
	Scale   float64 // of the products of queries and keys
	SoftCap float64 // scores are SoftCap·tanh(score / SoftCap); 0 is none
	Keep    float64 // the probability that dropout keeps an element of the softmax
	Causal  bool    // a query sees no key behind its place
	First   int
	Window  int // a query sees keys less far away than this; 0 is no limit
}

// Loss belongs to losses.
type Loss struct {
	Reduction   Reduction
	IgnoreIndex int
}

// CTC belongs to CTCLoss: how many inputs and labels each item of the batch has, where its labels begin, and the class that is none.
type CTC struct {
	Inputs, Labels, Starts []int
	Blank                  int
	ZeroInfinity           bool
}

// Triangular belongs to SolveTriangular: which triangle counts, and whether its diagonal is ones.
type Triangular struct{ Upper, Unit bool }

// Factored belongs to LUSolve: whether the matrix is transposed that was factored.
type Factored struct{ Transposed bool }

// Reduction says how a loss over many elements becomes one.
type Reduction uint8

// The reductions of losses.
const (
	MeanReduction Reduction = iota
	SumReduction
	NoReduction
)

// String returns PyTorch's word for the reduction.
func (r Reduction) String() string { return [...]string{"mean", "sum", "none"}[r] }

// Rotation belongs to Rotate: whether pairs turn back, by the angles with their signs changed.
type Rotation struct{ Back bool }

// Ravel belongs to RavelIndex: out = out·Extent + index, for indexes into axis Axis, of that extent, that may count from
// the end. Repeated over several axes it makes one index of many.
type Ravel struct{ Axis, Extent int }

// Lookup belongs to EmbeddingGrad: rows of index Padding get no gradient; -1 is none.
// ByFrequency tells those who run it to divide dy first.
type Lookup struct {
	Padding     int
	ByFrequency bool
}

// Order belongs to Sort and TopK: the first elements of each line along Axis, as many as the results have room for, sorted.
// NaN counts as the largest number.
type Order struct {
	Axis       int
	Descending bool
}

// Search belongs to SearchSorted: whether equal elements stand before the place that is found.
type Search struct{ Right bool }

// Draw belongs to random ops. Generator is the device's own generator; A and B are what the distribution calls them. For
// Dropout, whose results are the elements and the mask, A is the probability to keep one.
type Draw struct {
	Generator any
	A, B      float64
	Low, High int64
	Whole     bool // RandInt: all non-negative integers of the dtype, whatever Low and High say
}

// Update belongs to the steps of optimizers that IsUpdate reports, each of which reads those numbers that its row in
// internal/kgen/recipe names.
type Update struct {
	Rate, Sign, Decay, Shrink float64 // of the step, negative; 1, or -1 to climb; weight decay, and by what p is multiplied instead
	Part                      float64 // how far a running mean of the gradient moves
	Share, Rest               float64 // of the running mean of squares that stays, and 1 less it
	Root, Eps                 float64
	Ahead                     float64 // NAdam: the rate of the mean
	Momentum                  float64 // RMSprop
	Rectified                 float64 // RAdam: 0 where the step has no divisor
	Minus, Plus, Low, High    float64 // Rprop: by what lengths of steps are multiplied, and their bounds
}

// Unscale belongs to UnscaleGrad. A GPU reads the scale, and says that an element is not finite, in the memory of the operands behind the
// gradient: a scale and a flag, both float32.
type Unscale struct {
	Inverse float64      // of the scale, on the CPU
	Raised  *atomic.Bool // set where an element is not finite, on the CPU
}

// Clip belongs to ClipGrad: what the norm that stands behind the gradient may be at most.
type Clip struct{ Most float64 }

// SGD belongs to SGDStep.
type SGD struct {
	LR, Momentum, Dampening, WeightDecay float64
	Nesterov, First, Maximize            bool
}

// Adam belongs to AdamStep; Step counts from 1.
type Adam struct {
	LR, Beta1, Beta2, Eps, WeightDecay float64
	Step                               int
	Decoupled, Maximize                bool // Decoupled is AdamW's weight decay
}
