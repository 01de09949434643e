package tensor_test

import (
	"errors"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// autocastRow says in which dtype rows of the op table compute under Autocast, on CPUs and on GPUs: rows of these names, alone or followed
// by more words. Low stands for the dtype of Autocast, Undefined for that of the operands.
type autocastRow struct {
	onCPU, onGPU dtype.DType
	names        []string
}

const (
	low      = dtype.BFloat16
	asGiven  = dtype.Undefined
	inSingle = dtype.Float32
	refused  = dtype.Count
)

var autocastRows = []autocastRow{
	{low, low, []string{"mm", "bmm", "matmul", "addmm", "addbmm", "baddbmm", "linear", "prelu", "conv1d", "conv2d", "conv3d",
		"conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "attention", "lstm", "quantized_linear",
		"einsum bij,bjk->bik", "einsum iij,...j->...i", "einsum ij,kj", "linalg.eigh", "linalg.svd"}}, // the last two multiply the factors
	{asGiven, low, []string{"mv", "addmv", "addr"}},
	{low, asGiven, []string{"tensordot"}},
	{inSingle, low, []string{"rnn", "gru"}},
	{inSingle, inSingle, []string{"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "nll_loss", "cross_entropy", "kl_div", "bce_with_logits",
		"poisson_nll_loss", "cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "soft_margin_loss", "triplet_margin_loss",
		"multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "cdist", "prod"}},
	{asGiven, inSingle, []string{"rdiv scalar", "exp", "expm1", "log", "log1p", "log2", "log10", "rsqrt", "reciprocal", "square", "pow", "rpow",
		"tan", "asin", "acos", "sinh", "cosh", "erfinv", "softplus", "sum", "norm", "1-norm", "3-norm", "logsumexp", "cumsum", "cumprod",
		"softmax", "log_softmax", "pairwise_distance", "cosine_similarity", "pdist", "normalize", "lp_pool1d", "lp_pool2d", "lp_pool3d",
		"layer_norm", "group_norm", "rms_norm", "local_response_norm", "interpolate", "gaussian_nll_loss"}},
	{inSingle, asGiven, []string{"trace", "quantile", "nanquantile", "max_pool3d", "avg_pool3d", "adaptive_avg_pool3d", "adaptive_max_pool3d",
		"pad reflect", "pad replicate", "max_unpool2d", "max_unpool3d", "grid_sample", "ctc_loss",
		"linalg.cholesky", "linalg.solve", "linalg.inv", "linalg.qr,", "linalg.eigvalsh", "linalg.svdvals"}},
	{inSingle, refused, []string{"binary_cross_entropy"}},
}

// autocastOn returns what rows of the op say of a device, asGiven where none does.
func (r *opRow) autocastOn(dev device.Device) dtype.DType {
	for _, row := range autocastRows {
		for _, name := range row.names {
			if rest, ok := strings.CutPrefix(r.name, name); ok && (rest == "" || rest[0] == ' ') {
				if dev.IsCPU() {
					return row.onCPU
				}
				return row.onGPU
			}
		}
	}
	return asGiven
}

// TestAutocastOps walks the op table under Autocast: each op, of float32 and of the lower dtype, has the result's dtype that its list
// says, and gradients arrive in the dtype of the operands.
func TestAutocastOps(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		for _, r := range allRows() {
			for _, dt := range []dtype.DType{dtype.Float32, low} {
				t.Run(r.name+" "+dt.Name(), func(t *testing.T) { r.checkAutocast(t, dev, dt) })
			}
		}
	})
}

func (r *opRow) checkAutocast(t *testing.T, dev device.Device, dt dtype.DType) {
	var plain *tensor.Tensor
	failure := tensor.Try(func() { plain = r.f(r.tensors(dev, dt, false)) })
	if plain == nil && failure == nil {
		return
	}
	s := tensor.NewScope(tensor.Autocast(low))
	defer s.Close()
	leaves := r.tensors(dev, dt, true)
	x := make([]*tensor.Tensor, len(leaves))
	for i := range x {
		x[i] = s.Enter(leaves[i])
	}
	want := r.autocastOn(dev)
	var y *tensor.Tensor
	err := tensor.Try(func() { y = r.f(x) })
	switch {
	case want == asGiven && failure != nil:
		if err == nil {
			t.Fatalf("got %v, want %v", y.DType(), failure)
		}
		return
	case want == refused:
		if err == nil || !strings.Contains(err.Error(), "are unsafe to autocast") {
			t.Fatalf("got %v, want an error", err)
		}
		return
	case err != nil && errors.Is(failure, tensor.ErrKernel):
		return
	case err != nil:
		t.Fatal(err)
	case want == asGiven:
		want = plain.DType()
	case failure == nil && !plain.DType().IsFloat():
		want = plain.DType()
	}
	if y.DType() != want {
		t.Fatalf("the result is %v, want %v", y.DType(), want)
	}
	if r.noGrad || !y.RequiresGrad() {
		return
	}
	if err := tensor.Try(func() { y.Sum().Backward() }); err != nil {
		t.Fatal(err)
	}
	for i, leaf := range leaves {
		if g := leaf.Grad(); g != nil && g.DType() != leaf.DType() {
			t.Errorf("the gradient of input %d is %v", i, g.DType())
		}
	}
}
