package tensor

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/friend"
	"cresset/internal/op"
)

// The functions of this package that linalg, nn, optim, nn/parallel, nn/ddp, checkpoint and internal/selftest need and users do not: the one registration of the project.
var _ = friend.Register(&friend.Tensors[*Tensor]{
	BorrowGrad:     (*Tensor).borrowGrad,
	Reaches:        reaches,
	NewUpdates:     func() friend.Updates[*Tensor] { return new(updates) },
	LinearReLU:     (*Tensor).linearReLU,
	Conv2DReLU:     (*Tensor).conv2DReLU,
	LayerNormOfSum: (*Tensor).layerNormOfSum,
	RMSNormOfSum:   (*Tensor).rmsNormOfSum,
	Rotate:         (*Tensor).rotate,
	DropoutAdded: func(x *Tensor, p float64, residual *Tensor, generator any) *Tensor {
		g, _ := generator.(*Generator)
		return x.dropoutAdded(p, residual, g)
	},
	LinearThen: func(f func(*Tensor) *Tensor, x *Tensor, l friend.Linear[*Tensor]) *Tensor {
		return x.linearThen(f, linearLayer(l))
	},
	FeedForward: func(f func(*Tensor) *Tensor, x *Tensor, first, second friend.Linear[*Tensor], residual *Tensor) *Tensor {
		return x.feedForward(f, linearLayer(first), linearLayer(second), residual)
	},
	GatedForward: func(f func(*Tensor) *Tensor, x *Tensor, gate, up, down friend.Linear[*Tensor], residual *Tensor) *Tensor {
		return x.gatedForward(f, linearLayer(gate), linearLayer(up), linearLayer(down), residual)
	},
	VarlenAttention: func(q, k, v, cuSeqQ, cuSeqK *Tensor, maxQ, maxK int, options ...any) *Tensor {
		opts := make([]AttentionOption, len(options))
		for i, o := range options {
			opts[i], _ = o.(AttentionOption) // nil stays nil, and no option
		}
		return varlenAttention(q, k, v, cuSeqQ, cuSeqK, maxQ, maxK, opts...)
	},
	Replace:     (*Tensor).replaceBy,
	RNN:         (*Tensor).rnn,
	GRU:         (*Tensor).gru,
	LSTM:        (*Tensor).lstm,
	LossWeight:  lossWeightOf,
	CatOn:       catOn,
	NewReplicas: func() friend.Replicas[*Tensor] { return new(replicas) },
	Linalg:      linearAlgebra(),

	QuantizedLinear: (*Tensor).quantizedLinear,
	Dequantized:     dequantized,

	Launch:       launch,
	HasKernel:    func(x *Tensor, o op.Op, dt dtype.DType) bool { return x.storage.backend.Has(o, dt) },
	Checkpointed: checkpointed,
	Arrived:      (*Tensor).arrived,
	Spent:        spent,
	CaptureOf:    captureOf,
	ConstantOn:   constantOn,

	RefuseRecorded: (*Tensor).refuseRecorded,
	Follows:        (*Tensor).follows,
	Recorded:       (*Tensor).inRecording,
	BeforeCalls:    (*Tensor).beforeCalls,
	OnStream: func(dev device.Device, b any) any {
		return &stream{dev, b.(backend.Backend)}
	},
	ReadMemory:    readMemory,
	WriteMemory:   writeMemory,
	HoldMemory:    elementMemory,
	HoldToWrite:   holdToWrite,
	ScaleInto:     scaleInto,
	Lend:          lend,
	HoldOnGPU:     holdOnGPU,
	Within:        within,
	EntireStorage: entireStorage,
	Strided:       strided,
	StorageOf:     storageOf,
	Evict:         evict,
	Restore:       restore,
	MarkPart:      markPart,
	IsPart:        isPart,
})
