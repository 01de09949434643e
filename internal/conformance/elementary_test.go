package conformance

import "cresset/tensor"

var elementary = table{
	"torch.tan":       unary((*tensor.Tensor).Tan),
	"Tensor.tan_":     unary((*tensor.Tensor).TanInPlace),
	"torch.asin":      unary((*tensor.Tensor).Asin),
	"Tensor.asin_":    unary((*tensor.Tensor).AsinInPlace),
	"torch.acos":      unary((*tensor.Tensor).Acos),
	"Tensor.acos_":    unary((*tensor.Tensor).AcosInPlace),
	"torch.atan":      unary((*tensor.Tensor).Atan),
	"Tensor.atan_":    unary((*tensor.Tensor).AtanInPlace),
	"torch.sinh":      unary((*tensor.Tensor).Sinh),
	"Tensor.sinh_":    unary((*tensor.Tensor).SinhInPlace),
	"torch.cosh":      unary((*tensor.Tensor).Cosh),
	"Tensor.cosh_":    unary((*tensor.Tensor).CoshInPlace),
	"torch.asinh":     unary((*tensor.Tensor).Asinh),
	"Tensor.asinh_":   unary((*tensor.Tensor).AsinhInPlace),
	"torch.acosh":     unary((*tensor.Tensor).Acosh),
	"Tensor.acosh_":   unary((*tensor.Tensor).AcoshInPlace),
	"torch.atanh":     unary((*tensor.Tensor).Atanh),
	"Tensor.atanh_":   unary((*tensor.Tensor).AtanhInPlace),
	"torch.exp2":      unary((*tensor.Tensor).Exp2),
	"Tensor.exp2_":    unary((*tensor.Tensor).Exp2InPlace),
	"torch.log2":      unary((*tensor.Tensor).Log2),
	"Tensor.log2_":    unary((*tensor.Tensor).Log2InPlace),
	"torch.log10":     unary((*tensor.Tensor).Log10),
	"Tensor.log10_":   unary((*tensor.Tensor).Log10InPlace),
	"torch.atan2":     binary((*tensor.Tensor).Atan2),
	"torch.hypot":     binary((*tensor.Tensor).Hypot),
	"torch.logaddexp": binary((*tensor.Tensor).LogAddExp),
	"torch.xlogy":     binary((*tensor.Tensor).XLogY),
}
