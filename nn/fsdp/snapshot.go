package fsdp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"cresset/checkpoint"
	"cresset/dist"
	"cresset/nn"
)

// Save writes a snapshot into a folder that must not be there yet, and that all ranks see: the model, what optimizers keep of it, and the other parts of a training as checkpoint.Snapshots has
// them, for each rank. Every rank writes its share of the tensors, whole, so that the folders "model" and those named as the optimizers are sets of safetensors files with an index, which
// checkpoint.Load reads as any other. The folder gets its name when all of it is written: one that is there is whole.
//
// All ranks call it, between steps. Where one fails, all return an error, and nothing is left.
func (f *FullyShardedDataParallel[M]) Save(ctx context.Context, dir string, training checkpoint.Snapshot) error {
	g, draft := f.sharder.group, dir+".draft"
	err := together(ctx, g, func() error {
		if g.Rank() > 0 {
			return nil
		}
		if _, err := os.Lstat(dir); err == nil {
			return fmt.Errorf("save %s: %w", dir, os.ErrExist)
		}
		return errors.Join(os.RemoveAll(draft), os.MkdirAll(draft, 0o777))
	})
	if err != nil {
		return err
	}
	err = f.write(ctx, draft, training)
	if err == nil {
		err = together(ctx, g, func() error {
			if g.Rank() > 0 {
				return nil
			}
			return errors.Join(syncFolder(draft), os.Rename(draft, dir), syncFolder(filepath.Dir(dir)))
		})
	}
	if err != nil && g.Rank() == 0 {
		err = errors.Join(err, os.RemoveAll(draft))
	}
	return err
}

// write writes all parts.
func (f *FullyShardedDataParallel[M]) write(ctx context.Context, dir string, training checkpoint.Snapshot) error {
	s := f.sharder
	model, err := s.gatherModel(ctx, f.Module)
	if err != nil {
		return err
	}
	if err := s.writeSet(ctx, filepath.Join(dir, "model"), model); err != nil {
		return err
	}
	rest := maps.Clone(training)
	for _, name := range slices.Sorted(maps.Keys(training)) {
		opt, ok := training[name].(optimizer)
		if !ok {
			continue
		}
		kept, err := s.gatherKept(ctx, opt)
		if err != nil {
			return err
		}
		if err := s.writeSet(ctx, filepath.Join(dir, name), kept); err != nil {
			return err
		}
		rest[name] = &settings{optimizer: opt}
	}
	return together(ctx, s.group, func() error {
		to := checkpoint.NewSnapshots(filepath.Join(dir, fmt.Sprintf("rank-%05d", s.group.Rank())))
		return errors.Join(to.Save(rest), to.Close())
	})
}

// Load restores what Save has written, on any number of ranks: beyond those that wrote it, ranks take the other parts, and random numbers, of one of them. All ranks call it, between steps. What
// does not fit the model is a *nn.StateError.
func (f *FullyShardedDataParallel[M]) Load(ctx context.Context, dir string, training checkpoint.Snapshot) error {
	return together(ctx, f.sharder.group, func() error { return f.read(dir, training) })
}

func (f *FullyShardedDataParallel[M]) read(dir string, training checkpoint.Snapshot) error {
	s := f.sharder
	saved, err := filepath.Glob(filepath.Join(dir, "rank-[0-9]*"))
	if err != nil {
		return err
	}
	if len(saved) == 0 {
		return fmt.Errorf("%s is no snapshot: %w", dir, os.ErrNotExist)
	}
	if err := s.readModel(filepath.Join(dir, "model"), f.Module); err != nil {
		return err
	}
	rest := maps.Clone(training)
	for name, part := range training {
		if opt, ok := part.(optimizer); ok {
			kept, err := s.readKept(filepath.Join(dir, name), opt)
			if err != nil {
				return err
			}
			rest[name] = &settings{opt, kept}
		}
	}
	from := saved[s.group.Rank()%len(saved)]
	found, err := checkpoint.NewSnapshots(from).Resume(rest)
	if err == nil && found.Path == "" {
		err = fmt.Errorf("%s has no snapshot: %w", from, os.ErrNotExist)
	}
	return err
}

// together calls f on all ranks, and returns an error on all where one fails: the rank's own, or a *dist.RankError.
func together(ctx context.Context, g *dist.Group, f func() error) error {
	mine := f()
	text := ""
	if mine != nil {
		text = mine.Error()
	}
	all, err := g.AllGatherBytes(ctx, []byte(text))
	switch {
	case mine != nil:
		return mine
	case err != nil:
		return err
	}
	for rank, text := range all {
		if len(text) > 0 {
			return &dist.RankError{Rank: rank, Err: errors.New(string(text))}
		}
	}
	return nil
}

// syncFolder makes the names in a folder outlast a crash, where the system can.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // some systems cannot
	return d.Close()
}

// misfit returns a *nn.StateError where names or shapes of a file are not those that are wanted; nil where they are.
func misfit(what string, file *checkpoint.File, shapes map[string][]int) error {
	bad, known := &nn.StateError{Model: what}, map[string]bool{}
	for _, e := range file.Entries() {
		known[e.Name] = true
		switch want, ok := shapes[e.Name]; {
		case !ok:
			bad.Unexpected = append(bad.Unexpected, e.Name)
		case !slices.Equal(want, e.Shape):
			bad.Mismatched = append(bad.Mismatched, fmt.Sprintf("size mismatch for %s: copying a param with shape %v from checkpoint, the shape in current model is %v.", e.Name, e.Shape, want))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		if !known[name] {
			bad.Missing = append(bad.Missing, name)
		}
	}
	if len(bad.Missing)+len(bad.Unexpected)+len(bad.Mismatched) > 0 {
		return bad
	}
	return nil
}
