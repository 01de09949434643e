package bench

import (
	"strings"
	"testing"

	"cresset/tensor"
)

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cases() {
		if seen[c.Name] {
			t.Errorf("two workloads are called %s", c.Name)
		}
		seen[c.Name] = true
		if !strings.Contains(c.Name, "/") || strings.ContainsAny(c.Name, " \n") {
			t.Errorf("%q is not a family and a member", c.Name)
		}
	}
}

// The larger workloads differ from these in their sizes alone.
func TestSmallWorkloadsRun(t *testing.T) {
	cases, err := Matching(`^(small/|train/mlp|(mm|linear)/1x784|mm_bf16/256|.*/128x128|.*/1e5|add_row/300)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if err := tensor.Try(func() { c.Make()() }); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

func TestFigure(t *testing.T) {
	c := Case{Name: "a/b", Work: 300, Unit: "B"}
	got := c.figure(2, []float64{30, 10, 20, 40})
	want := Figure{Case: "a/b", Threads: 2, Median: 25, Min: 10, Max: 40, Rounds: 4, Rate: 12, Unit: "GB/s"}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMatching(t *testing.T) {
	if got, err := Matching("^mm/256$"); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v, want one workload", got, err)
	}
	for _, pattern := range []string{"nothing", "("} {
		if _, err := Matching(pattern); err == nil {
			t.Errorf("%q is accepted", pattern)
		}
	}
}
