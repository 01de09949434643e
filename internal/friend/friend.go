// Package friend lets packages above tensor call what tensor does not export, since Go knows no friends: tensor registers functions
// when it is initialised, and linalg, nn, optim, dist, nn/parallel, nn/ddp, nn/fsdp, checkpoint and internal/selftest, which import it, find them there.
package friend

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/op"
)

// Tensors are functions of package tensor, whose *Tensor is T here.
type Tensors[T any] struct {
	// BorrowGrad returns the gradient of a leaf for use until it is dropped, nil where there is none.
	BorrowGrad func(x T) T
	// Reaches reports which of the leaves a Backward from outs would lead to.
	Reaches func(outs, leaves []T) []bool
	// NewUpdates returns a place for the steps of an optimizer.
	NewUpdates func() Updates[T]
	// LinearReLU returns the ReLU of Linear without keeping what lies between.
	LinearReLU func(x, weight, bias T) T
	// LinearThen returns f of a linear layer of x; FeedForward a second layer of that; GatedForward down of f(gate)·up. Residual is added to
	// what they return, unless it is nil. On GPUs products compute what follows them, and gradients are those of the ops one by
	// one; where that cannot be, as on the CPU or for another f than an activation of T, they return nil.
	LinearThen   func(f func(T) T, x T, l Linear[T]) T
	FeedForward  func(f func(T) T, x T, first, second Linear[T], residual T) T
	GatedForward func(f func(T) T, x T, gate, up, down Linear[T], residual T) T
	// LayerNormOfSum and RMSNormOfSum return x + residual and its norm, which one kernel computes where that has the bits of both ops.
	LayerNormOfSum func(x, residual T, shape []int, weight, bias T, eps float64) (sum, y T)
	RMSNormOfSum   func(x, residual T, shape []int, weight T, eps ...float64) (sum, y T)
	// Rotate returns x [..., T, D] with the elements i and i + n of each row turned, by tables of cosines and sines that broadcast to [..., T, n], by one kernel, as is
	// its gradient; nil where devices or dtypes differ, but for half types and float32 on GPUs, or a table tracks gradients.
	Rotate func(x, cos, sin T) T
	// DropoutAdded returns residual plus what dropout with probability p leaves of x, by one kernel, as is its gradient, with the numbers and bits of both ops; nil where
	// those have to do it. A nil generator is the default one.
	DropoutAdded func(x T, p float64, residual T, generator any) T
	// VarlenAttention is attention of sequences that lie behind each other; the options are T's package's, of attention.
	VarlenAttention func(q, k, v, cuSeqQ, cuSeqK T, maxQ, maxK int, options ...any) T
	// QuantizedLinear returns x·Wᵀ + bias of a quantized weight, and Dequantized the weight that its numbers stand for, in float32. Zero points and bias may be nil.
	QuantizedLinear func(x T, q op.Quantized, weight, scale, zero, bias T) T
	Dequantized     func(q op.Quantized, weight, scale, zero T) T
	// Conv2DReLU returns the ReLU of Conv2D, by a window that a layer keeps, without keeping what lies between.
	Conv2DReLU func(x, weight, bias T, w op.Window) T
	// Replace makes x what compute returns of it, as an op in place does, and returns x; the op is what messages name.
	Replace func(x T, o op.Op, compute func(x T) T) T
	// RNN, GRU and LSTM run recurrent layers in one direction: of what the gates get from the input, a row for each element of the
	// sequences, of the weight and the bias for the state (weight [gates, width]; bias and projection may be nil), and of the first states
	// (h, c). They return the states, and the last of each sequence.
	RNN  func(gates, weight, h T, relu bool, s Sequences) (hs, last T)
	GRU  func(gates, weight, bias, h T, s Sequences) (hs, last T)
	LSTM func(gates, weight, projection, h, c T, s Sequences) (hs, lastH, lastC T)
	// LossWeight returns the tensor of an option Weight or PosWeight, nil of another, and whether it is a PosWeight.
	LossWeight func(option any) (weight T, positive bool)
	// CatOn is Cat on a device of choice for tensors of any devices.
	CatOn func(dev device.Device, ts []T, axis int) T
	// Checkpointed returns what run makes of inputs without keeping what its gradients need: Backward makes it run again.
	Checkpointed func(run func(inputs []T, again bool) []T, inputs []T) []T
	// Arrived returns x, a copy in the background to pinned memory, when that is done; it waits for nothing that was issued later.
	Arrived func(x T) T
	// Spent gives back the memory of what a layer has made and nobody else has seen, where a scope owns it and no gradient needs it.
	Spent func(xs ...T)
	// CaptureOf returns the graph in the making that work on x belongs to, nil for none.
	CaptureOf func(x T) Capture
	// RefuseRecorded panics where a compiled function that is recorded does with x, or with what derives from it, what a recording cannot repeat.
	RefuseRecorded func(x T, name, what, hint string)
	// Follows has a compiled function that computes with y repeat what it does to x in place, though numbers of x come from none of y's: a count of batches.
	Follows func(x, y T)
	// Recorded reports whether a compiled function that is recorded computes with x.
	Recorded func(x T) bool
	// BeforeCalls has a compiled function that computes with x, if one is recorded, call do before each of its later runs: what the host does in view of them. Where a
	// run fails, undo takes back what do did, and where the recording fails, what the program did.
	BeforeCalls func(x T, do, undo func())
	// ConstantOn returns a CPU tensor, whose numbers follow from shapes and positions alone, on a device and in a dtype: a graph keeps them.
	ConstantOn func(x T, dev device.Device, dt dtype.DType) T
	// OnStream returns the option of a scope whose results on a device are computed by a backend.Backend of one of its streams.
	OnStream func(dev device.Device, stream any) (option any)
	// NewReplicas returns copies that several goroutines may use.
	NewReplicas func() Replicas[T]
	// Linalg is linear algebra with gradients.
	Linalg Linalg[T]

	// Launch runs an op that writes outs, by the kernel for a dtype, on the device of the first.
	Launch func(o op.Op, dt dtype.DType, params any, outs, ins []T)
	// HasKernel reports whether x's device has a kernel for the op on that dtype.
	HasKernel func(x T, o op.Op, dt dtype.DType) bool

	// ReadMemory calls use with the memory of a contiguous CPU tensor's elements, which use may look at until it returns.
	ReadMemory func(x T, use func(memory []byte) error) error
	// WriteMemory is ReadMemory for a use that changes the elements.
	WriteMemory func(x T, use func(memory []byte) error) error
	// HoldMemory returns the memory of a contiguous CPU tensor's elements, which stays until release.
	HoldMemory func(x T) (memory []byte, release func())
	// HoldToWrite is HoldMemory for who changes the elements.
	HoldToWrite func(x T) (memory []byte, release func())
	// ScaleInto fills out with x·by, which has its shape, dtype and device and tracks no gradient.
	ScaleInto func(out, x T, by float64)
	// Lend has a library read contiguous tensors of one GPU and write others there: f is called on a thread on which that GPU is current, with a stream
	// on which work waits for all that was issued before, and the addresses of the tensors. It returns what reports whether that work is done.
	Lend func(reads, writes []T, f func(stream uintptr, at []uintptr) error) (done func() (bool, error), err error)
	// HoldOnGPU returns where a contiguous tensor lies on its GPU, whose memory stays until release, and what reports whether the GPU has done what was
	// issued to it before: a library that knows no streams waits for that.
	HoldOnGPU func(x T, writes bool) (at uintptr, ready func() (bool, error), release func(), err error)
	// Within calls f on a thread on which a GPU is current for libraries.
	Within func(gpu device.Device, f func() error) error

	// EntireStorage returns a tensor of one axis over all of x's storage.
	EntireStorage func(x T) T
	// Strided returns a tensor over x's storage whose element at index i[0], i[1], … is number offset + Σ i[k]·stride[k] there.
	Strided func(x T, shape, stride []int, offset int) T
	// StorageOf returns what is equal for tensors that share memory.
	StorageOf func(x T) any

	// Evict gives the memory under x back, unless an op is about to use it: then it reports false. The first op that wants it has fetch called, which calls Restore.
	Evict func(x T, fetch func()) bool
	// Restore gives an evicted tensor memory again, which write fills with what was there before: graphs see no change.
	Restore func(x T, write func())
	// MarkPart notes that x is a part of a parameter, and IsPart reports that.
	MarkPart func(x T)
	IsPart   func(x T) bool
}

// Linear is the parameters of x·Wᵀ + b; the bias may be nil.
type Linear[T any] struct{ Weight, Bias T }

// Product is the parameters of a layer that computes x·Wᵀ + b, of which ranks may hold parts.
type Product[T any] struct {
	Weight, Bias T
	Outputs      int                        // the axis of Weight along which outputs stand; the other is that of inputs
	Compute      *func(x, weight, bias T) T // computes Forward where it is set, of a weight [out, in]
	At           *T                         // where Weight stands
	Quantized    *Quantized[T]              // where a quantized weight stands, in whose place there is no other
}

// Quantized is a weight [out, in] in fewer bits.
type Quantized[T any] interface {
	// Linear returns x·Wᵀ + bias, which may be nil.
	Linear(x, bias T) T
	// Size returns the extents of the weight.
	Size() (out, in int)
	// String names the form of the weight.
	String() string
}

// Lookup is the parameters of a layer that looks rows of a table up, of which ranks may hold parts.
type Lookup[T any] struct {
	Weight  T
	Padding *int
	Compute *func(weight, index T) T // computes Forward where it is set
}

// Sequences says how rows are elements of sequences that were sorted by length, the longest first: those of step t stand behind those
// of step t - 1, one for each sequence that is longer than t.
type Sequences struct {
	Sizes   []int // how many sequences each step has
	Reverse bool  // from each sequence's end to its beginning
	Cell    bool  // one step of a cell
}

// Replicas copies tensors of one GPU to others, over and over: all that changed since the last time in one piece, into memory
// that it keeps.
type Replicas[T any] interface {
	// Of returns ts on each of the devices; they must be on the first, where the result shares their memory. The gradients of
	// all copies of a tensor are added, in the order of the devices, and flow to it. A copy is good for one forward and
	// backward: the next Of may write its memory anew.
	Of(ts []T, devices []device.Device) [][]T
}

// Updates changes parameters in place by their gradients. On some devices steps wait for others like them until Run; on others
// they run at once.
type Updates[T any] interface {
	// SGDStep is a step of SGD; momentum is nil without momentum.
	SGDStep(p, grad, momentum T, o op.SGD, undo Undoer)
	// AdamStep is a step of Adam, which keeps running means of the gradient and of its square.
	AdamStep(p, grad, mean, square T, o op.Adam, undo Undoer)
	// Step is a step that is a row of internal/kgen/recipe's updates, which keeps so much of each parameter.
	Step(o op.Op, numbers op.Update, p, grad T, kept []T, undo Undoer)
	// SkipWhere makes steps on GPUs change nothing where flag, a float32 beside their parameters, is not 0; nil ends that.
	SkipWhere(flag T)
	// Unscale divides a gradient by a scale, and sets found to 1 where an element is not finite; both are float32 beside it. It may wait
	// until Run.
	Unscale(grad, scale, found T)
	// Norms returns the 2-norms of gradients of one GPU as float64, by one launch for each dtype; nil elsewhere, and for other dtypes than floats.
	Norms(grads []T) T
	// Clip multiplies a gradient by most/(norm+1e-6), where that is less than 1; norm is a float64 beside it. It may wait until Run.
	Clip(grad, norm T, most float64)
	// Run runs the steps that wait. After a panic those that have not run still wait.
	Run()
	// Drop undoes and forgets the steps that wait, if any.
	Drop()
}

// Undoer knows what an optimizer does in view of a step.
type Undoer interface {
	// Undo takes back what was done in view of a step that has not run.
	Undo()
	// Redo does it again, for the replay of a graph that has the step, and returns the numbers of the next: the o or numbers of an Updates.
	Redo() (numbers any, err error)
	// Group returns what is equal for steps whose numbers change alike.
	Group() any
}

// Capture is a graph in the making.
type Capture interface {
	// Host has do called before each replay, in the order in which the capture got there. What do did undo takes back where the replay fails,
	// and once, when the capture ends, what the program did.
	Host(do func() error, undo func())
	// Refuse returns the error of what a graph cannot have, and what to do instead.
	Refuse(what, remedy string) error
}

// Described is a field of structs whose String is nn.Describe of themselves: Describe prints such a struct by its fields, so that
// it knows which models it is in the middle of.
type Described struct{}

var registered any // a *Tensors[*tensor.Tensor]

// Register is called by package tensor alone.
func Register[T any](t *Tensors[T]) *Tensors[T] {
	registered = t
	return t
}

// Of returns what tensor has registered; T is *tensor.Tensor.
func Of[T any]() *Tensors[T] { return registered.(*Tensors[T]) }
