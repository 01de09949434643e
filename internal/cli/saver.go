package cli

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"cresset/checkpoint"
	"cresset/internal/statedict"
)

// interval is how often a training is saved: after so many batches, or so long. Zero is not within an epoch.
type interval struct {
	batches int
	time    time.Duration
}

// UnmarshalText reads a number of batches or a duration: "100" or "10m".
func (i *interval) UnmarshalText(text []byte) (err error) {
	if i.batches, err = strconv.Atoi(string(text)); err != nil {
		i.time, err = time.ParseDuration(string(text))
	}
	if err != nil || i.batches < 0 || i.time < 0 || *i == (interval{}) {
		return fmt.Errorf("expected a number of batches or a time such as 10m but got %q", text)
	}
	return nil
}

// saver keeps a training in snapshots. A nil one keeps nothing.
type saver struct {
	snapshots *checkpoint.Snapshots
	parts     checkpoint.Snapshot
	every     interval

	batches int       // since the last snapshot
	last    time.Time // when that was
}

// newSaver returns what saves a training as the command line asks for. It goes on where --resume is given, tells where, and
// saves what a training begins with.
func (c *trainCommand) newSaver(t *training, out *session) (*saver, error) {
	if c.Save == nil {
		return nil, nil
	}
	s, from, err := c.begin(t, out)
	if err == nil {
		err = t.ranks.follow(out.ctx, *c.Save, from, s.parts)
	}
	if !t.ranks.first() {
		s = nil
	}
	return s, err
}

// begin returns what saves a training on the first rank, and the snapshot that it goes on from.
func (c *trainCommand) begin(t *training, out *session) (s *saver, from string, err error) {
	opts := []checkpoint.SnapshotsOption{t.lesson.best()}
	if c.Keep != nil {
		opts = append(opts, checkpoint.Keep(*c.Keep))
	}
	s = &saver{snapshots: checkpoint.NewSnapshots(*c.Save, opts...), every: c.Every, last: time.Now()}
	s.parts = checkpoint.Snapshot{
		"model": t.net, "optimizer": t.optimizer, "loader": t.loader, "config": t.of, "epochs": &t.epochly, "losses": &t.losses,
		"seconds": &t.seconds, "samples": &t.samples, "sum": &t.sum, "seen": &t.seen, "passed": &t.passed,
	}
	maps.Copy(s.parts, t.lesson.parts())
	if t.mixed.scaler.IsEnabled() {
		s.parts["scaler"] = t.mixed.scaler
	}
	if t.schedule != nil {
		s.parts["schedule"] = t.schedule
	}
	if !t.ranks.first() {
		return s, "", nil
	}
	if err := s.snapshots.Lock(); err != nil { // or another training could end between reading and writing
		return s, "", err
	}
	if !c.Resume {
		found, err := s.snapshots.Best()
		if found.Path != "" || len(found.Skipped) > 0 {
			err = &advice{fmt.Errorf("%s has snapshots of a training", *c.Save), "--resume goes on with it; another folder takes another training"}
		}
		if err == nil {
			err = s.snapshots.Save(s.parts)
		}
		return s, "", err
	}
	found, err := s.snapshots.Resume(s.parts)
	if err != nil {
		return s, "", err
	}
	out.tellDamaged(found)
	if found.Path == "" {
		return s, "", s.snapshots.Save(s.parts)
	}
	fmt.Fprintf(out.stderr, "resumed from %s after %s\n", found.Path, count(len(t.losses), "batch", "es"))
	return s, found.Path, nil
}

// stepped saves after a batch where it is time to.
func (s *saver) stepped() error {
	if s == nil {
		return nil
	}
	s.batches++
	if s.every.batches > 0 && s.batches >= s.every.batches || s.every.time > 0 && time.Since(s.last) >= s.every.time {
		return s.save()
	}
	return nil
}

// judged saves after an epoch.
func (s *saver) judged(measure float64) error {
	if s == nil {
		return nil
	}
	return s.save(checkpoint.Measure(measure))
}

func (s *saver) save(opts ...checkpoint.SaveOption) error {
	s.batches, s.last = 0, time.Now()
	return s.snapshots.SaveAsync(s.parts, opts...)
}

// finish waits for what is being written; an interrupted training is saved once more.
func (s *saver) finish(interrupted bool) error {
	if s == nil {
		return nil
	}
	var err error
	if interrupted {
		err = s.snapshots.Save(s.parts)
	}
	return errors.Join(err, s.snapshots.Close())
}

// epochs are what the epochs came to; a state dict has the classes and the sample of the last alone.
type epochs []epoch

// StateDict returns the figures, each over all epochs.
func (e *epochs) StateDict() map[string]any {
	var losses, tested, accuracies, classes []float64
	sample := ""
	for _, one := range *e {
		losses, accuracies, classes = append(losses, one.Loss), append(accuracies, one.Accuracy), one.Classes
		tested, sample = append(tested, one.TestLoss), one.Sample
	}
	return map[string]any{"loss": losses, "accuracy": accuracies, "classes": classes, "test_loss": tested, "sample": sample}
}

// LoadStateDict reads what StateDict returned.
func (e *epochs) LoadStateDict(state map[string]any) error {
	d := statedict.Read(state)
	losses, accuracies, classes, tested := d.Floats("loss"), d.Floats("accuracy"), d.Floats("classes"), d.Floats("test_loss")
	sample, _ := d.Value("sample").(string)
	if len(losses) != len(accuracies) || len(losses) != len(tested) {
		d.Refuse("%d losses, %d accuracies and %d losses of tests", len(losses), len(accuracies), len(tested))
	}
	if d.Err() != nil {
		return d.Err()
	}
	*e = nil
	for i := range losses {
		*e = append(*e, epoch{losses[i], accuracies[i], classes, tested[i], sample})
	}
	return nil
}
