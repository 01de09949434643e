package nn_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"cresset/nn"
)

type fooNet struct{ Linears nn.ModuleList }

// TestDescribe compares with PyTorch's recording, in which one print follows the other.
func TestDescribe(t *testing.T) {
	raw, err := os.ReadFile("testdata/module_repr_torch26.txt")
	if err != nil {
		t.Fatal(err)
	}
	recording := string(raw)
	foo := &fooNet{nn.NewModuleList(nn.NewLinear(3, 3, nn.NoBias), nn.NewLinear(3, 3, nn.NoBias), nn.NewLinear(3, 3, nn.NoBias))}
	prints := []any{
		nn.NewLinear(3, 1),
		nn.NewSequential(nn.NewLinear(3, 4), nn.NewReLU(), nn.NewLinear(4, 1)),
		nn.NewConv2D(1, 2, 3, nn.Padding(1)),
		nn.NewDropout(0.5),
		nn.NewBatchNorm2D(3),
		nn.NewFlatten(),
		nn.NewModuleList(nn.NewLinear(1, 1), nn.NewLinear(1, 1)),
		nn.NewEmbedding(3, 2),
		nn.NewMaxPool2D(2),
		nn.NewLayerNorm([]int{3}),
	}
	for _, m := range prints {
		if text := nn.Describe(m); !strings.Contains(recording, text+"\n") {
			t.Errorf("PyTorch does not print\n%s", text)
		}
		if got, want := fmt.Sprint(m), nn.Describe(m); got != want {
			t.Errorf("String is\n%s\nDescribe is\n%s", got, want)
		}
	}
	// PyTorch's recording shows FooNet inside DataParallel, one level deeper, and under Python's name.
	want := "fooNet(\n  (linears): ModuleList(\n    (0-2): 3 x Linear(in_features=3, out_features=3, bias=False)\n  )\n)"
	if got := nn.Describe(foo); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if indented := strings.ReplaceAll(strings.Replace(want, "fooNet", "FooNet", 1), "\n", "\n  "); !strings.Contains(recording, indented) {
		t.Errorf("PyTorch's recording lacks\n%s", indented)
	}
}
