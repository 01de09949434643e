package backend

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestUserSite(t *testing.T) {
	_, _, line, _ := runtime.Caller(0)
	got := UserSite() // line + 1
	if got.String() != fmt.Sprintf("backend/site_test.go:%d", line+1) || !strings.HasSuffix(got.Function, ".TestUserSite") {
		t.Errorf("got %+v, %s", got, got)
	}
	if got := (Site{}).String(); got != "an unknown place" {
		t.Errorf("nowhere is %q", got)
	}
	if got, want := (Site{File: "main.go", Line: 3}).String(), "main.go:3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIsUser(t *testing.T) {
	for _, tt := range []struct {
		function, file string
		want           bool
	}{
		{"main.main", "/home/me/app/main.go", true},
		{"example.com/app/train.Run", "/home/me/app/train/run.go", true},
		{"example.com/sync.Run", "/home/me/sync/run.go", true},
		{"cresset/tensor.(*Tensor).To", "/src/cresset/tensor/to.go", false},
		{"cresset/nn.To[...]", "/src/cresset/nn/model.go", false},
		{"cresset/internal/cli.(*training).step", "/src/cresset/internal/cli/training.go", true},
		{"cresset/internal/tour.moves", "/src/cresset/internal/tour/moves.go", true},
		{"cresset/internal/tourist.moves", "/src/cresset/internal/tourist/moves.go", false},
		{"cresset/examples/quickstart.Example", "/src/cresset/examples/quickstart/quickstart.go", true},
		{"cresset/tensor_test.TestTo", "/src/cresset/tensor/to_test.go", true},
		{"runtime.goexit", "/go/src/runtime/asm_amd64.s", false},
		{"sync.(*WaitGroup).Go.func1", "/go/src/sync/waitgroup.go", false},
		{"", "", false},
	} {
		if got := isUser(tt.function, tt.file); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.function, got, tt.want)
		}
	}
}
