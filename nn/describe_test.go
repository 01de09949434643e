package nn_test

import (
	"fmt"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/golden"
	"cresset/nn"
)

// Module prints as the bare torch.nn.Module does.
type Module struct{}

type fooNet struct{ Linears nn.ModuleList }

func newFooNet() *fooNet {
	return &fooNet{nn.NewModuleList(nn.NewLinear(3, 3, nn.Bias(false)), nn.NewLinear(3, 3, nn.Bias(false)), nn.NewLinear(3, 3, nn.Bias(false)))}
}

// described makes the entries of PyTorch's recording of prints, in which one print follows the other.
var described = []any{
	nn.NewLinear(3, 1),
	nn.NewSequential(nn.NewLinear(3, 4), nn.NewReLU(), nn.NewLinear(4, 1)),
	nn.NewReLU(nn.InPlace(true)),
	nn.NewConv2D(1, 2, 3, nn.Padding(1)),
	nn.NewDropout(0.5),
	nn.NewFlatten(),
	nn.NewModuleList(nn.NewLinear(1, 1), nn.NewLinear(1, 1)),
	nn.NewEmbedding(3, 2),
	&Module{},
	nn.NewMaxPool2D(2),
	nn.To(nn.NewLinear(1, 1), dtype.Float64).Weight.DType(),
	inDataParallel{newFooNet()},
}

// inDataParallel prints a network as PyTorch prints it inside DataParallel, under Python's name.
type inDataParallel struct{ net *fooNet }

func (d inDataParallel) String() string {
	text := strings.Replace(nn.Describe(d.net), "fooNet", "FooNet", 1)
	return "DataParallel(\n  (module): " + strings.ReplaceAll(text, "\n", "\n  ") + "\n)"
}

const (
	noDataParallel = "there is no DataParallel"
	printsBias     = "normalizations print their bias as PyTorch 2.15 does"
)

// notDescribed says why an entry of the recording is not asserted.
var notDescribed = map[string]string{
	"DataParallel(\n  (module): Linear(in_features=3, out_features=1, bias=True)\n)": noDataParallel,
	"batch size in forward: 16":                                                      noDataParallel,
	"model outputs.size: torch.Size([16, 3])":                                        noDataParallel,
	"BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)": printsBias,
	"LayerNorm((3,), eps=1e-05, elementwise_affine=True)":                            printsBias,
	"MSELoss()": "losses are functions",
	"[(8, 8), (3, 2), (2, 2, 1), (2, 2, 2), (1,), (0, 0), (4, 4, 2), (3, 3, 1), (1, 1, 1), (3, 3, 3), (3, 3, 2)]": noDataParallel,
	"['module.linears.0.weight', 'module.linears.1.weight', 'module.linears.2.weight']":                           "names have no prefix without DataParallel; TestNames asserts them",
}

func TestDescribe(t *testing.T) {
	asserted := make(map[string]bool)
	for _, m := range described {
		text := fmt.Sprint(m)
		if _, ok := m.(fmt.Stringer); !ok {
			text = nn.Describe(m)
		}
		asserted[text] = true
	}
	golden.Asserted(t, golden.Read(t, "testdata/module_repr_torch26.txt"), "", nil, asserted, notDescribed)
}

func TestDescribeIsString(t *testing.T) {
	for _, m := range []fmt.Stringer{nn.NewLinear(3, 1), nn.NewSequential(nn.NewReLU()), nn.NewModuleList(nn.NewReLU())} {
		if got, want := m.String(), nn.Describe(m); got != want {
			t.Errorf("String is\n%s\nDescribe is\n%s", got, want)
		}
	}
}

func TestDescribePlainContainers(t *testing.T) {
	type net struct {
		Heads  map[string]*nn.Linear
		Blocks []nn.Module
	}
	got := nn.Describe(&net{
		Heads:  map[string]*nn.Linear{"a": nn.NewLinear(1, 2), "b": nn.NewLinear(1, 2)},
		Blocks: []nn.Module{nn.NewReLU(), nn.NewReLU()},
	})
	want := `net(
  (heads): ModuleDict(
    (a): Linear(in_features=1, out_features=2, bias=True)
    (b): Linear(in_features=1, out_features=2, bias=True)
  )
  (blocks): ModuleList(
    (0-1): 2 x ReLU()
  )
)`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
