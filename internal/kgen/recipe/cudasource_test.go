package recipe

import (
	"slices"
	"strings"
	"testing"
)

func TestEveryOperationHasACUDAForm(t *testing.T) {
	for o := Op(0); o < numOps; o++ {
		if _, ok := cudaForms[o]; !ok && o != Param && o != ParamInt && o != ParamMask && o != Scalar && o != ScalarInt && o != ToInt && o != Lookup && !o.Expands() && !o.IsConst() {
			t.Errorf("%v has no form", o)
		}
	}
}

func TestCUDAWritesEveryRecipe(t *testing.T) {
	recipes := slices.Concat(All(F32), All(F64), Parts(F64))
	header := string(CUDA(recipes))
	if strings.Contains(header, "%!") {
		t.Error("a form does not fit its operation")
	}
	for _, r := range recipes {
		float := strings.ToLower(r.Elem.String())
		if n := strings.Count(header, "INLINE "+float+" "+strings.ToLower(r.Name)+"("+float+" "); n != 1 {
			t.Errorf("%s is written %d times", r.Name, n)
		}
	}
}
