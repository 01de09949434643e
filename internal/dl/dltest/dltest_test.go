package dltest

import (
	"testing"

	"cresset/internal/dl"
)

func TestSpy(t *testing.T) {
	table := struct {
		Double func(int) (int, bool) `c:"double_v2|double"`
		Absent func()                `c:"absent,optional"`
	}{Double: func(n int) (int, bool) { return 2 * n, true }}
	s := Watch(dl.Table{Struct: &table, Key: "c"})
	s.Fail("dou*", 1, false)
	for i, want := range []int{0, 0, 4} {
		if got, ok := table.Double(i); got != want || ok != (i != 1) {
			t.Errorf("call %d: got %d, %t", i, got, ok)
		}
	}
	if got := s.Calls("double_v2"); got != 3 || table.Absent != nil {
		t.Errorf("%d calls, want 3", got)
	}
}
