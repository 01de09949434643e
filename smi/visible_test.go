package smi

import (
	"errors"
	"slices"
	"testing"
)

// TestVisible has the table of PyTorch's unit tests and NVIDIA's examples, on eight GPUs.
func TestVisible(t *testing.T) {
	var gpus []GPU
	for i, id := range []string{
		"GPU-9942190a-aa31-4ff1-4aa9-c388d80f85f1", "GPU-9e8d35e3-a134-0fdd-0e01-23811fdbd293",
		"GPU-e429a63e-c61c-4795-b757-5132caeb8e70", "GPU-eee1dfbc-0a0f-6ad8-5ff6-dc942a8b9d98",
		"GPU-bbcd6503-5150-4e92-c266-97cc4390d04e", "GPU-472ea263-58d7-410d-cc82-f7fdece5bd28",
		"GPU-e56257c4-947f-6a5b-7ec9-0f45567ccf4e", "GPU-1c20e77d-1c1a-d9ed-fe37-18b8466a78ad",
	} {
		gpus = append(gpus, GPU{Index: i, UUID: id})
	}
	for value, want := range map[string][]int{
		"1gpu2,2ampere":                  {1, 2},
		"0, 1, 2, -1, 3":                 {0, 1, 2},
		"0, 1, 2, 1":                     {},
		"2, +3, -0, 5":                   {2, 3, 0, 5},
		"one,two,3,4":                    {},
		"":                               {},
		"-1":                             {},
		"+-1":                            {},
		"4,3,two,one":                    {4, 3},
		"0,2,-1,1":                       {0, 2},
		"2,3":                            {2, 3},
		"0,3,2":                          {0, 3, 2},
		"1, 8, 0":                        {1},
		"99999999999999999999":           {},
		"NoDevFiles":                     {},
		"MIG-89c850dc":                   {},
		"GPU-9e8d35e3":                   {1},
		"GPU-e4,GPU-9e8d35e3":            {2, 1},
		"GPU-123,GPU-9e8d35e3":           {},
		"GPU-9e8d35e3,GPU-123,GPU-47":    {1},
		"GPU-9e8d35e3,GPU-e,GPU-47":      {1},
		"GPU-9e8d35e3,GPU-47,GPU-9e8":    {},
		"GPU-9e8d35e3,2":                 {1},
		"GPU-9e8d35e3, GPU-47":           {1},
		"GPU-9e8d35e3,GPU-9e8d35e3":      {},
		"GPU-9942190a,GPU-1c,GPU-bbcd65": {0, 7, 4},
	} {
		got, _ := Environment{Limited: true, Visible: value}.Logical(gpus)
		if !slices.Equal(indexes(got), want) {
			t.Errorf("%q: got %v, want %v", value, indexes(got), want)
		}
	}
}

// TestLogicalIsSure tells the cases that only the driver can decide.
func TestLogicalIsSure(t *testing.T) {
	alike := []GPU{{Index: 1, Name: "A", UUID: "GPU-b"}, {Index: 0, Name: "A", UUID: "GPU-a"}}
	mixed := []GPU{{Index: 0, Name: "A", UUID: "GPU-a"}, {Index: 1, Name: "B", UUID: "GPU-b"}}
	parted := []GPU{
		{Index: 0, Name: "A", UUID: "GPU-a", Instances: []Instance{{UUID: "MIG-c6d4f1ef", GPUInstance: 3}}},
		{Index: 1, Name: "A", UUID: "GPU-b", Instances: []Instance{{UUID: "MIG-89c850dc-2", GPUInstance: 9}}},
	}
	for _, tc := range []struct {
		name string
		env  Environment
		gpus []GPU
		want []int
		sure bool
	}{
		{"of a kind", Environment{}, alike, []int{0, 1}, true},
		{"of two kinds", Environment{}, mixed, []int{0, 1}, false},
		{"of two kinds by bus", Environment{Order: "PCI_BUS_ID"}, mixed, []int{0, 1}, true},
		{"by number", Environment{Limited: true, Visible: "1"}, mixed, []int{1}, false},
		{"by number and bus", Environment{Limited: true, Visible: "1,0", Order: "PCI_BUS_ID"}, mixed, []int{1, 0}, true},
		{"by UUID", Environment{Limited: true, Visible: "GPU-b,GPU-a", Order: "FASTEST_FIRST"}, mixed, []int{1, 0}, true},
		{"hidden", Environment{Limited: true}, mixed, []int{}, true},
		{"no instance", Environment{Limited: true, Visible: "MIG-1"}, alike, []int{}, true},
		{"an instance", Environment{Limited: true, Visible: "MIG-89c8"}, parted, []int{1}, true},
		{"several instances", Environment{Limited: true, Visible: "MIG-89c850dc-2,MIG-89c850dc-1"}, parted, []int{1}, true},
		{"an ambiguous instance", Environment{Limited: true, Visible: "MIG-"}, parted, []int{}, true},
		{"an instance by its GPU", Environment{Limited: true, Visible: "MIG-GPU-a/3/0"}, parted, []int{0}, true},
		{"none", Environment{}, nil, []int{}, true},
	} {
		got, sure := tc.env.Logical(tc.gpus)
		if !slices.Equal(indexes(got), tc.want) || sure != tc.sure {
			t.Errorf("%s: got %v, %v, want %v, %v", tc.name, indexes(got), sure, tc.want, tc.sure)
		}
	}
}

// TestLogicalAsksTheDriver has the fastest GPU in the second slot.
func TestLogicalAsksTheDriver(t *testing.T) {
	simulate(t, `{"gpus": [{"preset": "t4", "bus": "00000000:01:00.0"}, {"preset": "a100", "bus": "00000000:02:00.0"}]}`)
	gpus, err := GPUs()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		order, list string
		want        []int
	}{
		{"FASTEST_FIRST", "0,1", []int{1, 0}}, {"PCI_BUS_ID", "0,1", []int{0, 1}}, {"", "1", []int{0}},
	} {
		t.Setenv("CUDA_DEVICE_ORDER", tc.order)
		t.Setenv("CUDA_VISIBLE_DEVICES", tc.list)
		got, err := Logical(gpus)
		if err != nil || !slices.Equal(indexes(got), tc.want) {
			t.Errorf("%s, %s: got %v, %v, want %v", tc.order, tc.list, indexes(got), err, tc.want)
		}
	}
}

// TestLogicalOfDriver: what the driver described is limited already, and CUDA's order is not that of the bus.
func TestLogicalOfDriver(t *testing.T) {
	simulate(t, `{"gpus": [{"preset": "t4", "bus": "00000000:01:00.0"}, {"preset": "a100", "bus": "00000000:02:00.0"}, {"preset": "t4", "bus": "00000000:03:00.0"}]}`)
	t.Setenv("CUDA_VISIBLE_DEVICES", "2,0")
	s, err := openDriver()
	if err != nil {
		t.Fatal(err)
	}
	inventory, err := s.read(false)
	if err != nil {
		t.Fatal(err)
	}
	logical, err := inventory.Logical()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range logical {
		got = append(got, g.BusID)
	}
	if want := []string{"00000000:03:00.0", "00000000:02:00.0"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestLogicalOfLost: numbers count the GPU that is lost too, as long as the driver does.
func TestLogicalOfLost(t *testing.T) {
	simulate(t, `{"gpus": [{"preset": "t4"}, {"preset": "t4", "lost": true}, {"preset": "t4"}]}`)
	t.Setenv("CUDA_VISIBLE_DEVICES", "2")
	inventory, err := Take()
	if !errors.Is(err, ErrLost) {
		t.Fatal(err)
	}
	if logical, err := inventory.Logical(); err == nil && (len(logical) != 1 || logical[0].Index != 2) {
		t.Errorf("got %+v", logical)
	}
	if logical, err := Logical(inventory.GPUs); err == nil && (len(logical) != 1 || logical[0].Index != 2) {
		t.Errorf("of the GPUs alone: got %+v", logical)
	}
	t.Setenv("CUDA_VISIBLE_DEVICES", "0,1,2")
	if logical, err := inventory.Logical(); err == nil {
		t.Errorf("with the lost one in view: got %+v", logical)
	}
}
