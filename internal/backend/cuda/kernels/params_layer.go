package kernels

// Convolution is the parameter of convolutions and their gradients: y [images][groups·outputs][outHeight][outWidth] of x
// [images][groups·channels][height][width] and weights [groups·outputs][channels][rows][columns], or one of its gradients;
// all contiguous. left and right are the operands of a product: the weights and x; for dx the weights and dy; for dw dy and
// x. The common axis may be cut into parts, each of `part` steps, whose results lie one behind the other in out.
type Convolution struct {
	Out, Left, Right                   uint64
	Bias                               uint64 // 0 where there is none
	Images, Groups, Channels, Outputs  uint32
	Height, Width, OutHeight, OutWidth uint32
	Rows, Columns                      uint32
	Stride, Padding, Dilation          [2]uint32
	Parts, Part                        uint32
}

// TiledConvolution is the parameter of convolutions and their gradients as products of which tiles are gathered, of float32 and of half types: y
// [images][groups·rows][outSize] of x [images][groups·channels][inSize] and weights, or dx of dy and weights, or dw, [groups·rows][channels][window],
// of dy and x; then outSize is dy's. left is the weights or dy, right x or dy. The common axis has lines steps for each tap, the channels and
// as many more as the kernel wants. It may be cut into parts, each of partSteps, whose float32 results lie one behind the other in out.
type TiledConvolution struct {
	Out, Left, Right, Bias            uint64 // bias is 0 where there is none
	Images, Groups, Rows, Channels    uint32
	Lines, Pitch                      uint32 // pitch is how far lines of packed weights lie apart, or pixels of a packed dy
	InSize, OutSize                   [2]uint32
	Window, Stride, Padding, Dilation [2]uint32
	Phases                            [2]uint32 // of the pixels of dx, by the stride; 1 and 1 for others
	Across                            uint32    // tiles of columns, in the largest phase
	Gradient                          uint32    // whether right is dy
	Parts, PartSteps                  uint32
}

// MappedConvolution is the parameter of conv_wgmma and conv_weight_wgmma: a convolution, and maps of its packed operands, of x and dy with the axes channels, columns, rows and
// images, of weights with channels, taps and rows. Pixels are copied by boxes of so many beside each other, below each other, and of images.
type MappedConvolution struct {
	MapLeft, MapRight TensorMap
	Convolution       TiledConvolution
	Box               [3]uint32
	Padding           [13]uint32
}

// Pool is the parameter of pools and their gradients: planes of y of the size outSize, of planes of x of the size inSize, or
// the gradient for x; all contiguous. Each pair is of the rows and the columns. in is x, or dy for a gradient.
type Pool struct {
	Planes                            uint64
	Out, In                           uint64
	Index                             uint64 // of a maximum in its plane
	InSize, OutSize                   [2]int64
	Kernel, Stride, Padding, Dilation [2]int64
	Adaptive                          uint32 // windows cover x evenly, whatever the steps say
	CountPadding                      uint32 // whether padding counts in a mean
	Strays                            uint32 // whether a maximum's window may hold nothing but padding
	Divided                           uint32 // whether sums are divided by divisor, not by what a window counts
	Divisor                           int64
	Narrow, Unused                    uint32 // whether 32 bits are enough for places in all planes, and for what they are computed from
}

// Resample is the parameter of interpolations: planes of y of the extents to, of planes of x of the extents from, by the taps of each
// axis, width of them for an element; 0 for an axis that stays as it is. places and weights hold those of the axes one after the
// other; a negative place ends an element's taps.
type Resample struct {
	Planes          uint64
	Out, In         uint64
	Places, Weights uint64
	From, To, Width [3]int64
}

// BatchNorm is the parameter of batch normalisation and its gradients: y = (x - mean) · invstd · weight + bias for each
// channel of x [images][channels][pixels], or the gradients of x, weight and bias; all contiguous but the running statistics,
// which have steps. Training reads and writes these, evaluation reads them; 0 where there are none. A channel may be cut
// into parts: sums has two float64 for each channel and part.
type BatchNorm struct {
	Images, Channels, Pixels uint64
	X, Weight, Bias          uint64 // weight and bias are 0 where there are none
	Y, Mean, Invstd          uint64
	RunningMean, RunningVar  uint64
	Steps                    [2]int64 // of runningMean and runningVar
	Dy, Dx, Dweight, Dbias   uint64
	Sums, Parts              uint64
	Eps, Momentum            float64
	Training, Unused         uint32
}

// What a residual, y or dy lies in memory as: elements of x's type, or for a float32 x float16 or bfloat16.
const (
	SameType = iota
	Float16Type
	Bfloat16Type
)

// LayerNorm is the parameter of layer normalisation and its gradients: y = (x - mean) · invstd · weight + bias for each row
// of x [rows][columns], or the gradients of x, weight and bias, all contiguous. The rows may be cut into parts: sums has two
// float64 for each part and element of weight. In a group normalization an element of weight and bias stands for so many columns, and so many
// rows have other ones. An RMS norm has no mean. A norm of x + residual stores the sum, too; a gradient of x is added to onto.
type LayerNorm struct {
	Rows, Columns          uint64
	Each, Groups           uint64 // 1 and 1 in a layer normalization
	X, Weight, Bias        uint64 // weight and bias are 0 where there are none
	Residual, Sum, Onto    uint64 // 0 where there are none
	Y, Mean, Invstd        uint64
	Dy, Dx, Dweight, Dbias uint64
	Sums, Parts            uint64
	Eps                    float64
	ResidualType           uint32
	OtherType              uint32 // of y or dy
	FirstCounter           uint32 // of last.cuh, one for each 32 columns
	SumBlocks              uint32 // that add up the gradients of weight and bias beside those of the rows
}

// PairBytes is the size of what BatchNorm.Sums, LayerNorm.Sums and NLL.Sums hold of a part.
const PairBytes = 16

// NLL is the parameter of the negative log likelihood and its gradient: the loss -weight[t]·x[i][t][l] of the targets t in
// [batch][inner], of log probabilities x in [batch][classes][inner], all contiguous; weight is 0 for ones, a target equal to
// ignore costs nothing. Unless shifts is 0, x holds logits, whose log probabilities are x less both of the shifts of their
// run: [batch][inner][2].
type NLL struct {
	Batch, Classes, Inner      uint64
	X, Targets, Weight, Shifts uint64
	Out                        uint64 // the losses, one loss, or the gradient for x
	Sums, Parts                uint64 // two float64 for each part of the loss
	Total                      uint64 // the sum of the weights of all targets; the gradient of a mean reads it
	Dy                         uint64 // the gradient: one element, or with each one of a target
	Ignore                     int64
	Mean                       uint32 // whether the loss is divided by total
	Each                       uint32 // whether there is a loss for each target
	Report                     Report
}

// MostWidth is how many elements rows of attention_few may have.
const MostWidth = 256

// Attention is the parameter of attention and its gradients: q [batch][heads][queries][width], k and v [batch][groups][keys] with rows
// of width and outputs, out and dout as q with rows of outputs. Their strides are along the four axes; those of mask and dmask along
// batch, heads, queries and keys. logSum and delta have an element for each row of q. Scores are bent and masked as op.Attend says.
// attention_few cuts the keys into so many parts, each but the last of part keys, a multiple of 32, and leaves of each part and row outputs
// numbers, the largest score and the sum in partial.
type Attention struct {
	Batch, Heads, Groups          uint64
	Queries, Keys, Width, Outputs uint64
	Q, K, V, Out, LogSum          uint64
	DOut, DQ, DK, DV, Delta       uint64
	Mask, DMask                   uint64 // 0 where there is none
	Seed                          uint64 // of dropout: the address of an int64
	Parts, Part, Partial          uint64
	QStrides, KStrides, VStrides  [4]int64
	OutStrides, DOutStrides       [4]int64
	DQStrides, DKStrides          [4]int64
	DVStrides                     [4]int64
	MaskStrides, DMaskStrides     [4]int64
	Scale, SoftCap, Keep          float64
	First, Window                 int64
	Causal                        uint32
	Bools                         uint32 // whether the mask says which keys a query sees, and is not added
	Places                        uint64 // of int64 numbers, one for each of the batch, that are added to First: 0 where there are none
	PlaceStep                     int64  // from one to the next
	DeltaRows                     uint64 // of each head in delta, where tensor cores compute gradients
}

// MappedAttention is the parameter of attention_wgmma: attention, and maps of its operands in boxes of 64 elements of so many rows, whose axes are elements,
// rows, heads and the batch.
type MappedAttention struct {
	MapQ, MapK, MapV             TensorMap
	Attention                    Attention
	HeadQ, BatchQ, HeadK, BatchK uint32 // 0 where all heads, or all of the batch, are the same, else 1
	HeadV, BatchV                uint32
	Padding                      [10]uint32
}

// MappedAttentionGrad is MappedAttention for attention_keys_wgmma and attention_queries_wgmma, which read dout too.
type MappedAttentionGrad struct {
	MapQ, MapK, MapV, MapDOut    TensorMap
	Attention                    Attention
	HeadQ, BatchQ, HeadK, BatchK uint32
	HeadV, BatchV                uint32
	HeadDOut, BatchDOut          uint32
	Padding                      [8]uint32
}
