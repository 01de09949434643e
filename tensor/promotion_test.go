package tensor

import (
	"fmt"
	"maps"
	"testing"

	"cresset/internal/golden"
)

// promotionOperands are the operands of testdata/promotion_torch26.txt: two elements of each dtype.
type promotionOperands struct{ i, f, b, i8, i32, u8, h, d, sevens *Tensor }

func newPromotionOperands() promotionOperands {
	i, f := Of([]int{1, 2}), Of([]float32{1, 2})
	return promotionOperands{
		i: i, f: f, b: Of([]bool{true, false}), i8: Of([]int8{100, 100}), i32: i.Int(), u8: Of([]uint8{200, 100}),
		h: f.Half(), d: f.Double(), sevens: Of([]int{7, -7}),
	}
}

// promotionFamilies compute the expressions of the recording.
var promotionFamilies = []func(o promotionOperands) map[string]func() any{
	promotionOfOperators,
	promotionWithZeroDim,
	promotionOfReductions,
	promotionOfFunctions,
	promotionOfJoins,
	promotionOfDivisions,
	promotionOfTheRest,
}

// promotionOmitted says why a line of the golden has no counterpart here.
var promotionOmitted = map[string]string{
	"I**-1 if False else None":        "computes nothing",
	"B.abs() if False else None":      "computes nothing",
	"I.mean() if False else None":     "computes nothing",
	"torch.result_type(F,1j)":         "there are no complex numbers",
	"torch.result_type(H,1j)":         "there are no complex numbers",
	"I.log2()":                        "there is no Log2",
	"B.sum(dtype=torch.int32)":        "Sum takes no dtype",
	"torch.tensor([3.0]).tolist()":    "Values returns a Go slice",
	"round(torch.tensor(2.5).item())": "rounds a number of the language",
}

func TestPromotionGoldens(t *testing.T) {
	entries := golden.Read(t, "testdata/promotion_torch26.txt")
	cases := make(map[string]func() any)
	for _, family := range promotionFamilies {
		maps.Copy(cases, family(newPromotionOperands()))
	}
	for _, e := range golden.Asserted(t, entries, "", nil, cases, promotionOmitted) {
		if got := pythonText(cases[e.Key]()); got != e.Value {
			t.Errorf("%s prints %s, want %s", e.Key, got, e.Value)
		}
	}
}

// pythonText is how Python prints a result.
func pythonText(v any) string {
	if b, ok := v.(bool); ok {
		return map[bool]string{true: "True", false: "False"}[b]
	}
	return fmt.Sprint(v)
}
