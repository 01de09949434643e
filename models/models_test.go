package models_test

import (
	"errors"
	"path/filepath"
	"testing"

	"cresset/models"
)

// TestProgress wants bytes to be told up to the last, and Load to end with what the function returns.
func TestProgress(t *testing.T) {
	dir := filepath.Join("testdata", "gpt2")
	var done, total int64
	_, err := models.Load(dir, models.Progress(func(d, n int64) error {
		if d < done {
			t.Errorf("%d bytes after %d", d, done)
		}
		done, total = d, n
		return nil
	}))
	if err != nil || total == 0 || done != total {
		t.Errorf("%d of %d bytes, %v", done, total, err)
	}
	want := errors.New("enough")
	if _, err := models.Load(dir, models.Progress(func(int64, int64) error { return want })); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}
