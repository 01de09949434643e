package cli

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"cresset/data"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// TestMixedTrainingsResumeEqual goes on from every snapshot of a training in mixed precision, and wants the same losses, near those in float32.
func TestMixedTrainingsResumeEqual(t *testing.T) {
	devicetest.JudgesValues(t)
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

// overflowing has losses of pictures that are Inf in some steps, as where float16 overflows.
type overflowing struct {
	*pictures
	from, to int // the steps
	step     int
}

func (o *overflowing) loss(b data.Batch) *tensor.Tensor {
	l := o.pictures.loss(b)
	if o.step++; o.step > o.from && o.step <= o.to {
		l = l.MulScalar(math.Inf(1))
	}
	return l
}

// TestScaledLossesMayOverflow: a step whose loss is not finite is skipped where losses are scaled. Many in a row end the training, as one does elsewhere.
func TestScaledLossesMayOverflow(t *testing.T) {
	devicetest.JudgesValues(t)
	for _, c := range []struct {
		amp      string
		from, to int // the steps that overflow
		scale    float64
		want     string // the error
	}{
		{"f16", 3, 5, 65536 / 4, ""},
		{"f16", 0, 9, 65536 / 512, ""},
		{"f16", 4, 14, 65536 / 1024, "the loss is +Inf after 14 batches, not finite in the last 10, whose steps were skipped, and the scale is 64: training has diverged"},
		{"bf16", 4, 5, 1, "the loss is +Inf after 5 batches: training has diverged"},
	} {
		samples, epochs, batch := 60, 2, 4
		command := trainCommand{Model: "mlp", Samples: &samples, Epochs: &epochs, Batch: &batch, Step: stepFlags{AMP: c.amp}}
		learnt, err := command.learnPictures(device.CPU, nil)
		if err != nil {
			t.Fatal(err)
		}
		learnt.lesson = &overflowing{pictures: learnt.lesson.(*pictures), from: c.from, to: c.to}
		learnt.observer = learnt.lesson.observe(io.Discard, learnt)
		got := ""
		if err := learnt.run(t.Context()); err != nil {
			got = err.Error()
		}
		if scale := learnt.mixed.scaler.CurrentScale(); got != c.want || scale != c.scale {
			t.Errorf("%s from %d to %d: %q and a scale of %v, want %q and %v", c.amp, c.from, c.to, got, scale, c.want, c.scale)
			continue
		}
		if loss := command.summary(learnt).TrainLoss; c.want == "" && (loss == nil || !finite(*loss) || len(learnt.losses) != 30) {
			t.Errorf("%s from %d to %d: a loss of %v after %d steps", c.amp, c.from, c.to, loss, len(learnt.losses))
		}
	}
}

// TestTrainingWithoutFiniteLosses has a summary all the same.
func TestTrainingWithoutFiniteLosses(t *testing.T) {
	net := nn.NewLinear(1, 1)
	s := (&trainCommand{}).summary(&training{net: net, optimizer: optim.NewSGD(nn.Parameters(net)), epochly: epochs{{Loss: math.NaN()}}})
	if s.TrainLoss != nil {
		t.Errorf("a loss of %v", *s.TrainLoss)
	}
}
