package cli

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestMixedTrainingsResumeEqual goes on from every snapshot of a training in mixed precision, and wants the same losses, near those in float32.
func TestMixedTrainingsResumeEqual(t *testing.T) {
	steps := []string{"--batch", "2", "--steps", "4", "--judge-every", "4"}
	single := read(t, steps...)
	for _, amp := range []string{"bf16", "f16"} {
		args := append([]string{"--amp", amp}, steps...)
		want := read(t, args...)
		if near := *single.TrainLoss; *want.TrainLoss == near || !(math.Abs(*want.TrainLoss-near) < 3e-2) {
			t.Errorf("%s: a loss of %v, %v in float32", amp, *want.TrainLoss, near)
		}
		whole := t.TempDir()
		read(t, append(args, "--save", whole, "--every", "1", "--keep", "100")...)
		files, err := filepath.Glob(filepath.Join(whole, "*.pt"))
		if err != nil || len(files) < 5 {
			t.Fatalf("%d snapshots, %v", len(files), err)
		}
		for _, file := range files {
			dir := t.TempDir()
			content, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			if r := read(t, append(args, "--save", dir, "--resume")...); *r.TrainLoss != *want.TrainLoss || *r.TestLoss != *want.TestLoss {
				t.Errorf("%s, resumed from %s: losses of %v and %v, want %v and %v", amp, filepath.Base(file), *r.TrainLoss, *r.TestLoss, *want.TrainLoss, *want.TestLoss)
			}
		}
	}
}
