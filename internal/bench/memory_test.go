package bench

import (
	"runtime"
	"testing"
)

func TestMeasureGrowth(t *testing.T) {
	if _, err := MeasureGrowth("small/add", 1, 1, true); err == nil {
		t.Error("a workload that does not train is accepted")
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells resident peaks")
	}
	for _, scopes := range []bool{true, false} {
		got, err := MeasureGrowth("train/mlp_adam", 1, 2, scopes)
		want := Growth{Case: "train/mlp_adam", Threads: 1, Steps: 2, Scopes: scopes, Bytes: got.Bytes}
		if err != nil || got != want || got.Bytes < 0 {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}
