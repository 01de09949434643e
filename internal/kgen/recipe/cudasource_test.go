package recipe

import (
	"strings"
	"testing"
)

func TestEveryOperationHasACUDAForm(t *testing.T) {
	for o := Op(0); o < numOps; o++ {
		if _, ok := cudaForms[o]; !ok && o != Param && !o.ForLoops() && o != Lookup && !o.Expands() && !o.IsConst() {
			t.Errorf("%v has no form", o)
		}
	}
}

func TestCUDAWritesEveryRecipe(t *testing.T) {
	header := string(CUDA(All()))
	if strings.Contains(header, "%!") {
		t.Error("a form does not fit its operation")
	}
	for _, r := range All() {
		if n := strings.Count(header, "INLINE f32 "+r.goName()+"(f32 "); n != 1 {
			t.Errorf("%s is written %d times", r.Name, n)
		}
	}
}
