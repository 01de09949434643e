package checkpoint_test

import (
	"bytes"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/device"
	"cresset/dtype"
	"cresset/nn"
	"cresset/tensor"
)

func newNet() *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(3, 4), nn.NewBatchNorm1D(4), nn.NewReLU(), nn.NewLinear(4, 2))
}

// checkState wants a model to hold the elements of a state.
func checkState(t *testing.T, model any, want map[string]*tensor.Tensor) {
	t.Helper()
	got := nn.State(model)
	if len(got) != len(want) {
		t.Errorf("%d tensors, want %d", len(got), len(want))
	}
	for name, want := range want {
		if got := got[name]; got == nil || !bytes.Equal(bytesOf(got), bytesOf(want)) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// TestSaveAndLoad takes a model's state through a file of each format, into the memory that the other model had.
func TestSaveAndLoad(t *testing.T) {
	for _, file := range []string{"model.safetensors", "model.pt", "model.npz"} {
		path := filepath.Join(t.TempDir(), file)
		model, other := newNet(), newNet()
		if err := checkpoint.Save(path, model); err != nil {
			t.Fatal(err)
		}
		weight := other.At(0).(*nn.Linear).Weight
		memory := tensor.Data[float32](weight.Detach())
		version := weight.Version()
		if err := checkpoint.Load(path, other); err != nil {
			t.Fatal(err)
		}
		checkState(t, other, nn.State(model))
		if memory[0] != tensor.Values[float32](weight)[0] || weight.Version() == version || !weight.RequiresGrad() {
			t.Errorf("%s: the parameter was not changed in place", file)
		}
	}
}

// TestLoadTiedWeights reads a file that has one of two names of a tensor, whichever it is, and none that has neither.
func TestLoadTiedWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	newTied := func() *nn.Sequential {
		net := nn.NewSequential(nn.NewEmbedding(5, 3), nn.NewLinear(3, 5, nn.Bias(false)))
		net.At(1).(*nn.Linear).Weight = net.At(0).(*nn.Embedding).Weight
		return net
	}
	want := nn.State(newTied())
	for dropped, kept := range map[string]string{"0.weight": "1.weight", "1.weight": "0.weight"} {
		file := map[string]*tensor.Tensor{kept: want[kept]}
		if err := checkpoint.Write(path, file, checkpoint.Metadata(map[string]string{dropped: kept})); err != nil {
			t.Fatal(err)
		}
		net := newTied()
		if err := checkpoint.Load(path, net); err != nil {
			t.Errorf("%s alone: %v", kept, err)
		}
		checkState(t, net, want)
		var bad *nn.StateError
		untied := nn.NewSequential(nn.NewEmbedding(5, 3), nn.NewLinear(3, 5, nn.Bias(false)))
		if err := checkpoint.Load(path, untied); !errors.As(err, &bad) || !slices.Equal(bad.Missing, []string{dropped}) {
			t.Errorf("%s alone for a model without ties: %v", kept, err)
		}
	}
	if err := checkpoint.Write(path, nil); err != nil {
		t.Fatal(err)
	}
	var bad *nn.StateError
	if err := checkpoint.Load(path, newTied()); !errors.As(err, &bad) || len(bad.Missing) != 2 {
		t.Errorf("neither: %v", err)
	}
	if err := checkpoint.Write(path, map[string]*tensor.Tensor{"0.weight": tensor.Ones(5, 4)}); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Load(path, newTied()); !errors.As(err, &bad) || len(bad.Missing) != 0 || len(bad.Mismatched) != 1 {
		t.Errorf("another shape: %v", err)
	}
}

// TestLoadThatDoesNotFit lists every difference in PyTorch's words, and changes nothing.
func TestLoadThatDoesNotFit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	state := maps.Clone(nn.State(newNet()))
	delete(state, "0.bias")
	state["4.weight"] = tensor.Ones(2)
	state["3.weight"] = tensor.Ones(2, 5)
	if err := checkpoint.Write(path, state); err != nil {
		t.Fatal(err)
	}
	net := newNet()
	before := bytesOf(net.At(0).(*nn.Linear).Weight)
	var bad *nn.StateError
	if err := checkpoint.Load(path, net); !errors.As(err, &bad) {
		t.Fatalf("got %v", err)
	}
	want := "Error(s) in loading state_dict for Sequential:\n\tMissing key(s) in state_dict: \"0.bias\". \n\t" +
		"Unexpected key(s) in state_dict: \"4.weight\". \n\tsize mismatch for 3.weight: copying a param with shape torch.Size([2, 5]) from checkpoint, " +
		"the shape in current model is torch.Size([2, 4])."
	if bad.Error() != want {
		t.Errorf("got %q, want %q", bad.Error(), want)
	}
	if err := checkpoint.Load(path, net, checkpoint.Strict(false)); !errors.As(err, &bad) || len(bad.Mismatched) != 1 || bad.Missing != nil {
		t.Errorf("not strict: got %v, want the shape alone", err)
	}
	if !bytes.Equal(bytesOf(net.At(0).(*nn.Linear).Weight), before) {
		t.Error("a file that does not fit was read")
	}
	delete(state, "3.weight")
	if err := checkpoint.Write(path, state); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Load(path, net, checkpoint.Strict(false)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(net.At(0).(*nn.Linear).Weight), bytesOf(state["0.weight"])) {
		t.Error("what fits was not read")
	}
}

// TestLoadByOtherNames cuts a prefix off and renames.
func TestLoadByOtherNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	model, other := newNet(), newNet()
	if err := checkpoint.Save(path, model, checkpoint.Prefix("module.")); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Load(path, other, checkpoint.Prefix("module.")); err != nil {
		t.Fatal(err)
	}
	checkState(t, other, nn.State(model))
	other = newNet()
	cut := func(name string) string { return strings.TrimPrefix(name, "module.") }
	if err := checkpoint.Load(path, other, checkpoint.Rename(cut)); err != nil {
		t.Fatal(err)
	}
	checkState(t, other, nn.State(model))
	if err := checkpoint.Load(path, other, checkpoint.Rename(func(string) string { return "0.weight" })); err == nil ||
		!strings.Contains(err.Error(), `both became "0.weight"`) {
		t.Errorf("all tensors under one name: %v", err)
	}
}

// TestLoadConverts reads into a model of another dtype, or converts the model first; float16 and back loses nothing twice.
func TestLoadConverts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.pt")
	model := newNet()
	if err := checkpoint.Save(path, model); err != nil {
		t.Fatal(err)
	}
	want := nn.State(nn.To(newNet(), dtype.Float16))
	for name, x := range nn.State(model) {
		want[name] = x.To(want[name].DType())
	}
	half := nn.To(newNet(), dtype.Float16)
	if err := checkpoint.Load(path, half); err != nil {
		t.Fatal(err)
	}
	checkState(t, half, want)
	half = newNet()
	if err := checkpoint.Load(path, half, checkpoint.As(dtype.Float16), checkpoint.On(device.CPU)); err != nil {
		t.Fatal(err)
	}
	checkState(t, half, want)
	if dt := nn.State(half)["1.num_batches_tracked"].DType(); dt != dtype.Int64 {
		t.Errorf("the counter became %v", dt)
	}
}

// tied is a model whose output layer has the embedding's memory.
type tied struct {
	Embedding *nn.Embedding
	Head      *nn.Linear
}

// TestTiedWeights stay tied, in the file and in the model.
func TestTiedWeights(t *testing.T) {
	net := &tied{nn.NewEmbedding(5, 3), nn.NewLinear(3, 5, nn.Bias(false))}
	net.Head.Weight = net.Embedding.Weight
	for _, file := range []string{"tied.pt", "tied.safetensors"} {
		path := filepath.Join(t.TempDir(), file)
		if err := checkpoint.Save(path, net); err != nil {
			t.Fatal(err)
		}
		f, err := checkpoint.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		all, err := f.Tensors()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if shared := all["head.weight"].SharesStorage(all["embedding.weight"]); shared != (file == "tied.pt") {
			t.Errorf("%s: shared %t", file, shared)
		}
		other := &tied{nn.NewEmbedding(5, 3), nn.NewLinear(3, 5, nn.Bias(false))}
		other.Head.Weight = other.Embedding.Weight
		if err := checkpoint.Load(path, other); err != nil {
			t.Fatal(err)
		}
		checkState(t, other, nn.State(net))
	}
}

// TestOnMeta reads shapes without elements.
func TestOnMeta(t *testing.T) {
	f, err := checkpoint.Open("testdata/cnn.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x, err := f.Tensor("head.weight", checkpoint.On(device.Meta), checkpoint.As(dtype.BFloat16))
	if err != nil || !x.Device().IsMeta() || x.DType() != dtype.BFloat16 || !slices.Equal(x.Shape(), []int{5, 6}) {
		t.Errorf("got %v, %v", x, err)
	}
	if _, err := f.Tensor("head.weight", checkpoint.On(device.CUDA(99))); !errors.Is(err, tensor.ErrDevice) {
		t.Errorf("got %v for a device that is not there", err)
	}
}
