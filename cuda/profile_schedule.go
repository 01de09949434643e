package cuda

// Schedule says which steps of a training a profile records, as torch.profiler.schedule does: after SkipFirst steps, over and over, Wait steps
// are passed over, Warmup steps are recorded for nothing, and Active steps are kept, in place of those of the cycle before. Repeat is the
// number of cycles; with 0 they end with the profile.
type Schedule struct {
	Wait, Warmup, Active, Repeat, SkipFirst int
}

// action is what a step is for.
type action uint8

const (
	nothing action = iota
	warmup
	record
	recordAndSave // the last step of a cycle
)

func (s *Schedule) action(step int) action {
	step -= s.SkipFirst
	cycle := s.Wait + s.Warmup + s.Active
	if step < 0 || s.Active <= 0 || s.Repeat > 0 && step/cycle >= s.Repeat {
		return nothing
	}
	switch at := step % cycle; {
	case at < s.Wait:
		return nothing
	case at < s.Wait+s.Warmup:
		return warmup
	case at < cycle-1:
		return record
	}
	return recordAndSave
}
