package nn

import "cresset/tensor"

// VarlenAttn returns attention of packed sequences of various lengths, PyTorch's torch.nn.attention.varlen.varlen_attn: of queries (T, H, D), keys (S, G, D) and
// values (S, G, V) of sequences that lie behind each other, softmax(scale·q·kᵀ)·v of each by itself, (T, H, V). cuSeqQ and cuSeqK, of int32 or int64, tell where each begins
// among the queries and among the keys, from 0 on, and where the last ends; maxQ and maxK are how many a sequence has at most. A sequence without keys gives zeros.
//
// It takes tensor.IsCausal, tensor.SlidingWindow, tensor.Scale, tensor.EnableGQA and tensor.SoftCap. As in PyTorch a sequence's last query stands beside its last key,
// also where it has more of the one than of the other. Neither scores nor a mask are in memory; gradients flow to queries, keys and values. cuSeqQ and cuSeqK are
// best on the CPU: the host reads them, and waits for a GPU where they are there. Each sequence takes the launches of attention.
func VarlenAttn(q, k, v, cuSeqQ, cuSeqK *tensor.Tensor, maxQ, maxK int, opts ...tensor.AttentionOption) *tensor.Tensor {
	all := make([]any, len(opts))
	for i, o := range opts {
		all[i] = o
	}
	return inner.VarlenAttention(q, k, v, cuSeqQ, cuSeqK, maxQ, maxK, all...)
}
