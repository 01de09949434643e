package driver

import (
	"slices"
	"testing"
)

// TestVisibleOrdinals has NVIDIA's examples and the table of PyTorch's unit tests.
func TestVisibleOrdinals(t *testing.T) {
	for _, tc := range []struct {
		value string
		gpus  int
		want  []int
	}{
		{"1gpu2,2ampere", 8, []int{1, 2}},
		{"0, 1, 2, -1, 3", 8, []int{0, 1, 2}},
		{"0, 1, 2, 1", 8, nil},
		{"2, +3, -0, 5", 8, []int{2, 3, 0, 5}},
		{"one,two,3,4", 8, nil},
		{"", 8, nil},
		{"-1", 8, nil},
		{"4,3,two,one", 8, []int{4, 3}},
		{"0,2,-1,1", 8, []int{0, 2}},
		{"2,3", 4, []int{2, 3}},
		{"0,3,2", 4, []int{0, 3, 2}},
		{"1, 0", 2, []int{1, 0}},
		{"1, 5, 0", 2, []int{1}},
		{"0,5,0", 2, nil},
		{"99999999999999999999", 2, nil},
		{"NoDevFiles", 2, nil},
		{"MIG-89c850dc", 2, nil},
	} {
		if got := Visible(tc.value, make([]string, tc.gpus)); !slices.Equal(got, tc.want) {
			t.Errorf("%q of %d GPUs: got %v, want %v", tc.value, tc.gpus, got, tc.want)
		}
	}
}

func TestVisibleUUIDs(t *testing.T) {
	ids := []string{
		"GPU-9942190a-aa31-4ff1-4aa9-c388d80f85f1",
		"GPU-9e8d35e3-a134-0fdd-0e01-23811fdbd293",
		"GPU-e429a63e-c61c-4795-b757-5132caeb8e70",
		"GPU-eee1dfbc-0a0f-6ad8-5ff6-dc942a8b9d98",
		"GPU-bbcd6503-5150-4e92-c266-97cc4390d04e",
		"GPU-472ea263-58d7-410d-cc82-f7fdece5bd28",
		"GPU-e56257c4-947f-6a5b-7ec9-0f45567ccf4e",
		"GPU-1c20e77d-1c1a-d9ed-fe37-18b8466a78ad",
	}
	for value, want := range map[string][]int{
		"GPU-9e8d35e3":                {1},
		"GPU-e4,GPU-9e8d35e3":         {2, 1},
		"GPU-123,GPU-9e8d35e3":        nil,
		"GPU-9e8d35e3,GPU-123,GPU-47": {1},
		"GPU-9e8d35e3,GPU-e,GPU-47":   {1}, // GPU-e names three
		"GPU-9e8d35e3,GPU-47,GPU-9e8": nil, // one GPU twice
		"GPU-9e8d35e3,GPU-9e8d35e3":   nil,
		"GPU-9e8d35e3, GPU-47":        {1}, // a blank is no prefix
		"GPU-9e8d35e3,2":              {1},
		"GPU-":                        nil,
	} {
		if got := Visible(value, ids); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
}
