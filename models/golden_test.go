package models_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/models"
	"cresset/models/bert"
	"cresset/models/resnet"
	"cresset/models/vit"
	"cresset/nn"
	"cresset/tensor"
)

// recorded is what transformers computes with the model of a folder of testdata.
type recorded struct {
	In struct {
		IDs    [][]int64 `json:"input_ids"`
		Labels json.RawMessage
		Mask   [][]int64 `json:"attention_mask"`
		Types  [][]int64 `json:"token_type_ids"`
		Pixels array     `json:"pixel_values"`
		X      array
	}
	Logits     array
	Loss       float64
	Hidden1    array `json:"hidden_1"`
	Embeddings array
	GradNorms  []struct {
		Name string
		Norm float64
	} `json:"grad_norms"`
	LeftPadded struct {
		Mask       [][]int `json:"attention_mask"`
		LastLogits array   `json:"last_logits"`
	} `json:"left_padded"`
	TrainLogits array   `json:"train_logits"`
	TrainLoss   float64 `json:"train_loss"`
	Buffers     []struct {
		Name string
		Data []float64
	} `json:"buffers_after_train"`
	Greedy struct {
		Prompt, Tokens []int64
		LastLogits     array `json:"last_logits"`
	}
}

type array struct {
	Shape []int
	Data  []float64
}

func recordingOf(t *testing.T, dir string) (r recorded) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Model []json.RawMessage }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file.Model[0], &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// near compares to within 1e-4 of the larger of 1 and what is expected.
func near(t *testing.T, what string, got *tensor.Tensor, want array) {
	t.Helper()
	numbers := tensor.Data[float64](got.Detach().CPU().To(dtype.Float64).Contiguous())
	if len(numbers) != len(want.Data) {
		t.Fatalf("%s has shape %v, %v is expected", what, got.Shape(), want.Shape)
	}
	for i, w := range want.Data {
		if !(math.Abs(numbers[i]-w) <= 1e-4*max(1, math.Abs(w))) {
			t.Fatalf("%s: element %d is %v, %v is expected", what, i, numbers[i], w)
		}
	}
}

// labels returns the labels of a recording, which are a list for each sequence or one for each picture.
func labels[L any](t *testing.T, r recorded) (l L) {
	t.Helper()
	if err := json.Unmarshal(r.In.Labels, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

func (a array) on(dev device.Device) *tensor.Tensor {
	return tensor.FromSlice(a.Data, a.Shape...).To(dtype.Float32, dev)
}

// checkLoss compares a loss, and the norms of its gradients to within a share of each.
func checkLoss(t *testing.T, m any, loss *tensor.Tensor, expected float64, want recorded, within float64) {
	t.Helper()
	near(t, "loss", loss, array{Data: []float64{expected}})
	loss.Backward()
	parameters := maps.Collect(nn.Parameters(m))
	if len(want.GradNorms) != len(parameters) {
		t.Errorf("%d parameters, of which gradients of %d are recorded", len(parameters), len(want.GradNorms))
	}
	for _, g := range want.GradNorms {
		norm := parameters[g.Name].Grad().Norm().Float64()
		if !(math.Abs(norm-g.Norm) <= within*g.Norm+1e-5) {
			t.Errorf("the gradient of %s has norm %v, %v is expected", g.Name, norm, g.Norm)
		}
	}
}

var decoders = []string{"llama", "llama_tied", "llama_rope3", "mistral", "qwen2", "qwen3", "gpt2", "gemma2"}

// load returns the model of a folder of testdata in float32.
func load(t *testing.T, dir string, opts ...models.LoadOption) models.Model {
	t.Helper()
	m, err := models.Load(filepath.Join("testdata", dir), append(opts, models.As(dtype.Float32))...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestDecodersGiveWhatTransformersGives compares scores, losses, gradients and generated tokens with those recorded.
func TestDecodersGiveWhatTransformersGives(t *testing.T) {
	for _, name := range decoders {
		t.Run(name, func(t *testing.T) {
			if race.Enabled && name != "qwen3" {
				checkDecoder(t, name, device.CPU)
				return
			}
			devicetest.Run(t, func(t *testing.T, dev device.Device) { checkDecoder(t, name, dev) })
		})
	}
}

func checkDecoder(t *testing.T, name string, dev device.Device) {
	want := recordingOf(t, name)
	m := load(t, name, models.On(dev)).(models.Decoder)
	on := func(ids [][]int64) *tensor.Tensor { return tensor.Of(ids).To(dev) }
	scores := m.Forward(on(want.In.IDs))
	near(t, "scores", scores, want.Logits)

	checkLoss(t, m, models.NextTokenLoss(scores, on(labels[[][]int64](t, want))), want.Loss, want, 1e-4)

	frozen := nn.Frozen(m)
	padded := &nn.KVCache{}
	for _, mask := range want.LeftPadded.Mask {
		padded.Padding = append(padded.Padding, slices.Index(mask, 1))
	}
	near(t, "left-padded scores", frozen.Read(on(want.In.IDs), padded).Select(1, -1), want.LeftPadded.LastLogits)

	caches := map[string]*nn.KVCache{"a cache that grows": {}, "a cache with room": {Room: 64}}
	if dev.IsCUDA() { // a simulated GPU takes its time
		delete(caches, "a cache with room")
		want.Greedy.Tokens = want.Greedy.Tokens[:6]
	}
	for what, past := range caches {
		next, tokens := want.Greedy.Prompt, []int64(nil)
		var last *tensor.Tensor
		for range want.Greedy.Tokens {
			last = frozen.Read(on([][]int64{next}), past).Select(1, -1)
			next = []int64{int64(last.ArgMaxAxis(1).Float64())}
			tokens = append(tokens, next[0])
		}
		if !slices.Equal(tokens, want.Greedy.Tokens) {
			t.Errorf("%s: got  %v\nwant %v", what, tokens, want.Greedy.Tokens)
		}
		if len(tokens) == 32 {
			near(t, what+": last scores", last, want.Greedy.LastLogits)
		}
	}
}

// TestBERTGivesWhatTransformersGives compares the scores of padded pairs of sentences.
func TestBERTGivesWhatTransformersGives(t *testing.T) {
	want := recordingOf(t, "bert")
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		m := load(t, "bert", models.On(dev)).(*bert.Model)
		on := func(v [][]int64) *tensor.Tensor { return tensor.Of(v).To(dev) }
		in := bert.Input{IDs: on(want.In.IDs), Mask: on(want.In.Mask), Types: on(want.In.Types)}
		near(t, "embeddings", m.Body.Embeddings.Forward(in), want.Embeddings)
		scores := m.Forward(in)
		near(t, "scores", scores, want.Logits)
		checkLoss(t, m, tensor.CrossEntropy(scores, tensor.Of(labels[[]int64](t, want)).To(dev)), want.Loss, want, 1e-4)
	})
}

// TestViTGivesWhatTransformersGives compares the scores of pictures.
func TestViTGivesWhatTransformersGives(t *testing.T) {
	want := recordingOf(t, "vit")
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		m := load(t, "vit", models.On(dev)).(*vit.Model)
		pictures := want.In.Pixels.on(dev)
		near(t, "embeddings", m.Body.Embeddings.Forward(pictures), want.Embeddings)
		scores := m.Forward(pictures)
		near(t, "scores", scores, want.Logits)
		checkLoss(t, m, tensor.CrossEntropy(scores, tensor.Of(labels[[]int64](t, want)).To(dev)), want.Loss, want, 1e-4)
	})
}

// TestResNetGivesWhatTorchvisionGives compares the scores of pictures in evaluation and in training, with running statistics after it.
func TestResNetGivesWhatTorchvisionGives(t *testing.T) {
	want := recordingOf(t, "resnet18_tiny")
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		m := load(t, "resnet18_tiny", models.On(dev)).(*resnet.Model)
		pictures := want.In.X.on(dev)
		near(t, "scores", m.Forward(pictures), want.Logits)
		scores := nn.Train(m).Forward(pictures)
		near(t, "scores in training", scores, want.TrainLogits)
		// The last layers normalise three numbers a channel: in float32 PyTorch's own gradients are 1e-4 from those in float64.
		checkLoss(t, m, tensor.CrossEntropy(scores, tensor.Of(labels[[]int64](t, want)).To(dev)), want.TrainLoss, want, 1e-3)
		buffers := maps.Collect(nn.Buffers(m))
		for _, b := range want.Buffers {
			near(t, b.Name, buffers[b.Name], array{Data: b.Data})
		}
	})
}

// TestSavedModelsAreTheSame writes each model to a folder and compares what is read from there, and loads the weights of PyTorch's own file.
func TestSavedModelsAreTheSame(t *testing.T) {
	for _, name := range append([]string{"bert", "vit", "resnet18_tiny"}, decoders...) {
		m, dir := load(t, name), t.TempDir()
		if err := models.Save(dir, m); err != nil {
			t.Fatal(err)
		}
		again, err := models.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		state := nn.State(again)
		for key, want := range nn.State(m) {
			if !state[key].Equal(want) {
				t.Errorf("%s: %s differs", name, key)
			}
		}
		if !reflect.DeepEqual(again.Settings(), m.Settings()) {
			t.Errorf("%s: settings were\n%+v, are\n%+v", name, m.Settings(), again.Settings())
		}
	}
}

// TestLegacySettings reads the keys that config.json had before transformers 5.
func TestLegacySettings(t *testing.T) {
	for _, name := range []string{"llama", "llama_tied", "llama_rope3"} {
		dir := t.TempDir()
		for from, to := range map[string]string{"config_legacy.json": "config.json", "model.safetensors": "model.safetensors"} {
			text, err := os.ReadFile(filepath.Join("testdata", name, from))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, to), text, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		m, err := models.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if want := load(t, name); !reflect.DeepEqual(m.Settings(), want.Settings()) {
			t.Errorf("%s: got\n%+v, want\n%+v", name, m.Settings(), want.Settings())
		}
	}
}
