package smi

import (
	"slices"
	"testing"
)

const gibibyte = 1 << 30

func ptr[T any](value T) *T { return &value }

// farm is a machine with four GPUs of a kind.
func farm() []GPU {
	return []GPU{
		{Index: 0, Name: "A", UUID: "GPU-9942190a-aa31-4ff1-4aa9-c388d80f85f1", BusID: "00000000:01:00.0", Memory: Memory{Free: 10 * gibibyte}, Utilization: ptr(0)},
		{Index: 1, Name: "A", UUID: "GPU-9e8d35e3-a134-0fdd-0e01-23811fdbd293", BusID: "00000000:02:00.0", Memory: Memory{Free: 30 * gibibyte}, Utilization: ptr(90)},
		{Index: 2, Name: "A", UUID: "GPU-e429a63e-c61c-4795-b757-5132caeb8e70", BusID: "00000000:41:00.0", Memory: Memory{Free: 10 * gibibyte}, Utilization: ptr(50), Serial: "1714123005421"},
		{Index: 3, Name: "A", UUID: "GPU-eee1dfbc-0a0f-6ad8-5ff6-dc942a8b9d98", BusID: "0000000A:C1:00.0", Memory: Memory{Free: 40 * gibibyte}},
	}
}

func indexes(gpus []GPU) []int {
	all := []int{}
	for _, g := range gpus {
		all = append(all, g.Index)
	}
	return all
}

func TestByFreeMemory(t *testing.T) {
	gpus := farm()
	if got := indexes(ByFreeMemory([]GPU{gpus[2], gpus[0], gpus[3], gpus[1]})); !slices.Equal(got, []int{3, 1, 0, 2}) {
		t.Errorf("got %v", got)
	}
	if got := ByFreeMemory(nil); len(got) != 0 {
		t.Errorf("of none: got %v", got)
	}
}

func TestFind(t *testing.T) {
	for id, want := range map[string]int{
		"0": 0, " 2 ": 2, "3": 3, "1714123005421": 2, "GPU-99": 0, "GPU-e4": 2,
		"GPU-eee1dfbc-0a0f-6ad8-5ff6-dc942a8b9d98": 3,
		"00000000:02:00.0":                         1, "0000:02:00.0": 1, "02:00.0": 1, "2:0": 1, "0000000a:c1:00.0": 3, "A:C1:0.0": 3,
		"4": -1, "-1": -1, "": -1, "GPU-": -1, "GPU-9": -1, "GPU-1": -1, "C1:00.0": -1, "x": -1, ":": -1, "1:2:3:4": -1,
	} {
		g, err := Find(farm(), id)
		if want < 0 && err == nil || want >= 0 && (err != nil || g.Index != want) {
			t.Errorf("%q: got GPU %d, %v, want %d", id, g.Index, err, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"/usr/lib/xorg/Xorg":            "/usr/lib/xorg/Xorg",
		"\x1b[2J\x1b]0;owned\a":         "?[2J?]0;owned?",
		"a\nb\tc\rd":                    "a?b?c?d",
		"\u202egnp.exe\u200b":           "?gnp.exe?",
		"\xff\xfe":                      "??",
		"训练 --epochs 3":                 "训练 --epochs 3",
		"\u0085\u009b31m":               "??31m",
		"C:\\Program Files\\python.exe": "C:\\Program Files\\python.exe",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
