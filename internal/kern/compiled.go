package kern

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// Generic functions are compiled by each package that names a type for them. Whoever calls the large ones by Float and Number has
// them compiled here alone.

// Floats are kernels over a type of float.
type Floats[T dtype.Float] struct {
	Gemm      func(m, n, k int, alpha T, a, b Matrix[T], beta T, c []T, ldc int)
	GemmBias  func(m, n, k int, a, b Matrix[T], bias []T, biasRow int, then op.Op, c []T, ldc int)
	GemmBatch func(count, m, n, k int, alpha T, a Matrix[T], strideA int, b Matrix[T], strideB int, beta T, c []T, strideC, ldc int)

	PanelsLen  func(m, n, k int, a, b Matrix[T]) int
	Pack       func(panels []T, n, k int, b Matrix[T])
	GemmPanels func(m, n, k int, a Matrix[T], panels, bias []T, biasRow int, then op.Op, c []T, ldc int)

	Conv2D           func(s *ConvShape, x, w, bias []T, then op.Op, y []T) error
	Conv2DGradInput  func(s *ConvShape, dy, w, bias, dx []T) error
	Conv2DGradWeight func(s *ConvShape, x, dy, dw []T) error

	MaxPool2D                 func(s *PoolShape, x, y []T, index []int64)
	MaxPool2DBackward         func(s *PoolShape, dy []T, index []int64, dx []T)
	AvgPool2D                 func(s *PoolShape, by Counts, x, y []T)
	AvgPool2DBackward         func(s *PoolShape, by Counts, dy, dx []T) error
	AdaptiveMaxPool2D         func(s *PoolShape, x, y []T, index []int64)
	AdaptiveAvgPool2D         func(s *PoolShape, x, y []T)
	AdaptiveAvgPool2DBackward func(s *PoolShape, dy, dx []T) error
	Resample                  func(s *ResampleShape, taps [3]AxisTaps[T], x, y []T) error

	BatchNorm         func(s ChannelShape, x, mean, invstd, weight, bias, y []T)
	BatchNormMoments  func(s ChannelShape, x []T, eps float64, mean, invstd, unbiased []T)
	BatchNormBackward func(s ChannelShape, training bool, dy, x, weight, mean, invstd, dx, dweight, dbias []T)
	GroupNorm         func(s ChannelShape, groups int, x, weight, bias []T, eps float64, y, mean, invstd []T)
	GroupNormBackward func(s ChannelShape, groups int, dy, x, weight, mean, invstd, dx, dweight, dbias []T, sums []float64)
	LayerNorm         func(rows, cols int, x, residual, sum, weight, bias []T, eps float64, y, mean, rstd []T)
	LayerNormBackward func(rows, cols int, dy, x, weight, mean, rstd, onto, dx, dweight, dbias []T)

	Softmax, LogSoftmax                 func(outer, axis, inner int, x, y []T) error
	SoftmaxBackward, LogSoftmaxBackward func(outer, axis, inner int, dy, y, dx []T) error
	SoftmaxShifts                       func(outer, axis, inner int, x, shifts []T) error

	Attention         func(a *Attention[T]) error
	AttentionBackward func(a *AttentionGrad[T]) error

	NLL                  func(s ChannelShape, x, shifts []T, targets []int64, weight []T, ignore int64, loss []T) (sum, total float64)
	NLLBackward          func(s ChannelShape, dy []T, scale float64, targets []int64, weight []T, ignore int64, dx []T)
	CrossEntropyBackward func(s ChannelShape, x, shifts, dy []T, scale float64, targets []int64, weight []T, ignore int64, dx []T) error
}

var (
	floats32 = floatsOf[float32]()
	floats64 = floatsOf[float64]()
)

func floatsOf[T dtype.Float]() *Floats[T] {
	return &Floats[T]{
		Gemm[T], GemmBias[T], GemmBatch[T], PanelsLen[T], Pack[T], GemmPanels[T],
		Conv2D[T], Conv2DGradInput[T], Conv2DGradWeight[T],
		MaxPool2D[T], MaxPool2DBackward[T], AvgPool2D[T], AvgPool2DBackward[T], AdaptiveMaxPool2D[T], AdaptiveAvgPool2D[T], AdaptiveAvgPool2DBackward[T], Resample[T],
		BatchNorm[T], BatchNormMoments[T], BatchNormBackward[T], GroupNorm[T], GroupNormBackward[T], LayerNorm[T], LayerNormBackward[T],
		Softmax[T], LogSoftmax[T], SoftmaxBackward[T], LogSoftmaxBackward[T], SoftmaxShifts[T],
		AttentionForward[T], AttentionBackward[T],
		NLL[T], NLLBackward[T], CrossEntropyBackward[T],
	}
}

// Float returns the kernels over a type of float.
func Float[T dtype.Float]() *Floats[T] {
	if f, ok := any(floats32).(*Floats[T]); ok {
		return f
	}
	return any(floats64).(*Floats[T])
}

// Numbers are kernels over a type of number, of those that reductions compute with.
type Numbers[T dtype.Number] struct {
	MaxMiddle, MinMiddle func(value []T, index []int64, src []T, outer, n, inner int) error
}

var allNumbers = [...]any{numbersOf[float32](), numbersOf[float64](), numbersOf[int32](), numbersOf[int64](), numbersOf[uint8]()}

func numbersOf[T dtype.Number]() *Numbers[T] {
	return &Numbers[T]{MaxMiddle[T], MinMiddle[T]}
}

// Number returns the kernels over a type of number, nil for another.
func Number[T dtype.Number]() *Numbers[T] {
	for _, n := range allNumbers {
		if n, ok := n.(*Numbers[T]); ok {
			return n
		}
	}
	return nil
}
