package fsdp

import (
	"testing"

	"cresset/dist"
	"cresset/nn"
	"cresset/tensor"
)

// TestGathersAhead: when a unit is wanted, the one that was wanted after it before is gathered too, and of those that were used one stays.
func TestGathersAhead(t *testing.T) {
	err := dist.Spawn(1, func(g *dist.Group) error {
		m, err := NewFullyShardedDataParallel(nn.NewSequential(nn.NewLinear(2, 2), nn.NewLinear(2, 2), nn.NewLinear(2, 2)), g)
		if err != nil {
			return err
		}
		s := m.sharder
		m.Forward(tensor.Ones(1, 2)).Sum().Backward()
		if len(s.before) < 3 || len(s.resident) > 0 {
			t.Errorf("%d units were wanted, %d stayed", len(s.before), len(s.resident))
		}
		s.begin()
		for i, u := range s.units {
			_ = u.params[0].leaf.Add(u.params[0].leaf)
			if next := i + 1; next < 3 && s.units[next].gathering == nil {
				t.Errorf("unit %d is not gathered ahead", next)
			}
			if want := min(i+1, 2); len(s.resident) != want || s.resident[want-1] != u {
				t.Errorf("%d units are there, not %d", len(s.resident), want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
