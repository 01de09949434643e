//go:build nocuda

package dl

import (
	"errors"
	"testing"
)

func TestOpenWithout(t *testing.T) {
	if _, err := Open("libc.so.6"); !errors.Is(err, ErrWithout) {
		t.Errorf("got %v, want %v", err, ErrWithout)
	}
}
