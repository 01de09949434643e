package conformance

import "cresset/tensor"

var indexing = table{
	"torch.masked_select": binary((*tensor.Tensor).MaskedSelect),
}
