package conformance

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// recorded is a tensor as a recording writes it.
type recorded struct {
	Shape []int
	DType string
	Data  numbers
}

// numbers are a recorded tensor's elements: null is not among them, NaN and infinities are strings.
type numbers []float64

func (n *numbers) UnmarshalJSON(text []byte) error {
	var elements []any
	if err := json.Unmarshal(text, &elements); err != nil {
		return err
	}
	*n = make(numbers, len(elements))
	for i, v := range elements {
		switch v := v.(type) {
		case float64:
			(*n)[i] = v
		case bool:
			if v {
				(*n)[i] = 1
			}
		case string:
			f, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return err
			}
			(*n)[i] = f
		}
	}
	return nil
}

// on returns the recorded tensor on a device. Its numbers are exact in float64, integers beyond 2^53 are not recorded.
func (r *recorded) on(dev device.Device) *tensor.Tensor {
	return tensor.FromSlice([]float64(r.Data)).Clone().View(r.Shape...).To(dtype.MustParse(r.DType)).To(dev)
}

// compare reports elements with |got - want| > tolerance * max(1, |want|), another shape and another dtype.
func (r *recorded) compare(t *testing.T, what string, got *tensor.Tensor, tolerance float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is missing", what)
		return
	}
	if !got.Shape().Equal(r.Shape) || got.DType().Name() != r.DType {
		t.Errorf("%s is %s%v, want %s%v", what, got.DType().Name(), got.Shape(), r.DType, r.Shape)
		return
	}
	if r.DType == "float32" {
		tolerance = max(tolerance, 1e-5) // of a function of integers too
	}
	wants := tensor.Values[float64](r.on(device.CPU)) // in their dtype: float32 is written as the shortest decimal
	for i, v := range tensor.Values[float64](got) {
		want := wants[i]
		same := v == want || math.IsNaN(v) && math.IsNaN(want)
		if !same && !(math.Abs(v-want) <= tolerance*max(1, math.Abs(want))) {
			t.Errorf("%s: element %d is %v, want %v", what, i, v, want)
			return
		}
	}
}

// read fills v from a recording: a JSON file of CRESSET_GOLDENS, or its copy in testdata.
func read(t *testing.T, folder, file string, v any) {
	t.Helper()
	if err := json.Unmarshal(text(t, folder, file), v); err != nil {
		t.Fatal(file, ": ", err)
	}
}

func text(t *testing.T, folder, file string) []byte {
	t.Helper()
	if root := os.Getenv("CRESSET_GOLDENS"); root != "" {
		data, err := os.ReadFile(filepath.Join(root, folder, file))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	packed, err := os.ReadFile(filepath.Join("testdata", folder, file+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
