package smi

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestPick(t *testing.T) {
	gpus := farm()
	gpus[1].Processes = []Process{{PID: 7, Type: "G", Name: "Xorg", Memory: ptr[uint64](gibibyte)}}
	gpus[3].Processes = []Process{{PID: 9, Type: "C+G", Name: "blender", Memory: ptr[uint64](2 * gibibyte)}}
	for _, tc := range []struct {
		name string
		wish Wish
		want []int
	}{
		{"one", Wish{}, []int{3}},
		{"all, the idler first among equals", Wish{N: 4}, []int{3, 1, 0, 2}},
		{"free memory", Wish{N: 2, MinFree: 20 * gibibyte}, []int{3, 1}},
		{"utilization", Wish{N: 2, MaxUtilization: ptr(10)}, []int{3, 0}},
		{"nobody computing", Wish{N: 3, ExcludeBusy: true}, []int{1, 0, 2}},
	} {
		got, err := Pick(gpus, tc.wish)
		if err != nil || !slices.Equal(indexes(got), tc.want) {
			t.Errorf("%s: got %v, %v, want %v", tc.name, indexes(got), err, tc.want)
		}
	}
	if !slices.Equal(indexes(gpus), []int{0, 1, 2, 3}) {
		t.Error("the caller's slice was reordered")
	}
}

func TestPickTooFew(t *testing.T) {
	gpus := farm()
	gpus[0].Processes = []Process{
		{PID: 1, Type: "C", Name: "small", Memory: ptr[uint64](gibibyte - 1)}, {PID: 2, Type: "C", Name: "\x1b[31mpython", Memory: ptr[uint64](28 * gibibyte)},
		{PID: 3, Type: "C"}, {PID: 4, Type: "G", Name: "Xorg"},
	}
	gpus[1].MIG, gpus[2].ComputeMode = ptr(true), Prohibited
	for _, tc := range []struct {
		wish Wish
		gpus []GPU
		want string
	}{
		{Wish{MinFree: 50 * gibibyte}, gpus, "wanted 1 GPU with at least 50.0 GiB free, have 0: GPU 0 10.0 GiB free, held by " +
			"?[31mpython (pid 2, 28.0 GiB), small (pid 1, 1023 MiB), a process (pid 3), 1 more; " +
			"GPU 1 is partitioned by MIG; GPU 2 has compute mode Prohibited; GPU 3 40.0 GiB free"},
		{Wish{N: 9}, farm(), "wanted 9 GPUs, have 4"},
		{Wish{N: 4, MaxUtilization: ptr(60), ExcludeBusy: true}, farm(), "wanted 4 GPUs with at most 60% utilization, nobody computing, have 3: GPU 1 90% utilization"},
		{Wish{}, nil, "wanted 1 GPU, have 0"},
	} {
		got, err := Pick(tc.gpus, tc.wish)
		var tooFew *PickError
		if got != nil || !errors.As(err, &tooFew) || err.Error() != tc.want {
			t.Errorf("got %v, %v, want %s", got, err, tc.want)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q is not one harmless line", err)
		}
	}
}
