package fsdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cresset/checkpoint"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// optimizer is one of package optim, whose state can be told.
type optimizer interface {
	checkpoint.Stateful
	Groups() []*optim.Group
}

// settings is what is left of an optimizer's state when what it keeps of parameters stands elsewhere.
type settings struct {
	optimizer
	kept map[int]map[string]any
}

// StateDict returns the settings of groups.
func (s *settings) StateDict() map[string]any {
	return map[string]any{"param_groups": s.optimizer.StateDict()["param_groups"]}
}

// LoadStateDict restores the settings and what was kept.
func (s *settings) LoadStateDict(state map[string]any) error {
	return s.optimizer.LoadStateDict(map[string]any{"param_groups": state["param_groups"], "state": s.kept})
}

// numbered returns the parameters by their numbers over all groups of an optimizer; nil for one that is not of the model.
func (s *sharder) numbered(opt optimizer) (ps []*param) {
	for _, g := range opt.Groups() {
		for _, x := range g.Params {
			i := slices.IndexFunc(s.params, func(p *param) bool { return p.leaf == x })
			if i < 0 {
				ps = append(ps, nil)
			} else {
				ps = append(ps, s.params[i])
			}
		}
	}
	return ps
}

// A deal gives tensors to ranks by turns.
type deal struct {
	next int
	mine map[string]*tensor.Tensor // of this rank
}

// add gathers rows of a parameter to the rank whose turn it is.
func (d *deal) add(ctx context.Context, s *sharder, name string, p *param, rows *tensor.Tensor) error {
	root := d.next % s.group.Size()
	d.next++
	whole, err := s.gatherRows(ctx, p, rows, root)
	if whole != nil {
		d.mine[name] = whole
	}
	return err
}

// gatherModel returns this rank's share of the model's whole tensors; buffers are rank 0's.
func (s *sharder) gatherModel(ctx context.Context, model any) (map[string]*tensor.Tensor, error) {
	d := &deal{mine: map[string]*tensor.Tensor{}}
	for _, p := range s.params {
		if err := d.add(ctx, s, p.name, p, p.shard); err != nil {
			return nil, err
		}
	}
	if s.group.Rank() == 0 {
		buffers := map[string]bool{}
		for name := range nn.Buffers(model) {
			buffers[name] = true
		}
		for name, x := range nn.State(model) {
			if buffers[name] {
				d.mine[name] = x
			}
		}
	}
	return d.mine, nil
}

// gatherKept returns this rank's share of what an optimizer keeps of the model's parameters, under names like "0.weight.exp_avg". What has other shapes than the rows, such as a number of
// steps, is the same on all ranks, and rank 0 has it.
func (s *sharder) gatherKept(ctx context.Context, opt optimizer) (map[string]*tensor.Tensor, error) {
	d := &deal{mine: map[string]*tensor.Tensor{}}
	states, ok := opt.StateDict()["state"].(map[int]map[string]any)
	if !ok {
		return nil, fault(fmt.Sprintf("the state of a %T is not kept by parameters", opt))
	}
	for i, p := range s.numbered(opt) {
		for _, key := range slices.Sorted(maps.Keys(states[i])) {
			x, ok := states[i][key].(*tensor.Tensor)
			switch {
			case p == nil || !ok:
				return nil, fault(fmt.Sprintf("an optimizer keeps %s of a parameter that is not the model's", key))
			case x.Shape().Equal(p.shard.Shape()):
				if err := d.add(ctx, s, p.name+"."+key, p, x); err != nil {
					return nil, err
				}
			case s.group.Rank() == 0:
				d.mine[p.name+"."+key] = x
			}
		}
	}
	return d.mine, nil
}

// writeSet has each rank write a file, and rank 0 the index of all, after all the others.
func (s *sharder) writeSet(ctx context.Context, dir string, mine map[string]*tensor.Tensor) error {
	file := func(rank int) string { return fmt.Sprintf("model-%05d-of-%05d.safetensors", rank+1, s.group.Size()) }
	err := together(ctx, s.group, func() error {
		if len(mine) == 0 {
			return nil
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		return checkpoint.Write(filepath.Join(dir, file(s.group.Rank())), mine)
	})
	if err != nil {
		return err
	}
	bytes := 0
	for _, x := range mine {
		bytes += x.NumEl() * x.DType().Size()
	}
	told, err := json.Marshal(share{bytes, slices.Sorted(maps.Keys(mine))})
	if err != nil {
		return err
	}
	all, err := s.group.AllGatherBytes(ctx, told)
	if err != nil || s.group.Rank() > 0 {
		return err
	}
	var index struct {
		Metadata  map[string]int    `json:"metadata"`
		WeightMap map[string]string `json:"weight_map"`
	}
	index.Metadata, index.WeightMap = map[string]int{}, map[string]string{}
	for rank, text := range all {
		var theirs share
		if err := json.Unmarshal(text, &theirs); err != nil {
			return err
		}
		index.Metadata["total_size"] += theirs.Bytes
		for _, name := range theirs.Names {
			index.WeightMap[name] = file(rank)
		}
	}
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil || len(index.WeightMap) == 0 {
		return err
	}
	return writeSynced(filepath.Join(dir, "model.safetensors.index.json"), text)
}

// A share is what a rank has written of a set.
type share struct {
	Bytes int
	Names []string
}

func writeSynced(path string, text []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// readModel fills this rank's rows, and buffers.
func (s *sharder) readModel(dir string, model any) error {
	file, err := checkpoint.Open(dir)
	if err != nil {
		return err
	}
	defer file.Close()
	shapes := map[string][]int{}
	for _, p := range s.params {
		shapes[p.name] = p.whole
	}
	buffers, state := map[string]*tensor.Tensor{}, nn.State(model)
	for name := range nn.Buffers(model) {
		if x := state[name]; x != nil {
			buffers[name], shapes[name] = x, x.Shape()
		}
	}
	if err := misfit("FullyShardedDataParallel", file, shapes); err != nil {
		return err
	}
	for _, p := range s.params {
		rows, err := p.read(file, p.name)
		if err != nil {
			return err
		}
		p.shard.CopyInPlace(rows)
	}
	for name, to := range buffers {
		from, err := file.Tensor(name)
		if err != nil {
			return err
		}
		to.CopyInPlace(from)
	}
	return nil
}

// read returns this rank's rows of a whole tensor of a file.
func (p *param) read(file *checkpoint.File, name string) (*tensor.Tensor, error) {
	x, err := file.Tensor(name)
	if err != nil {
		return nil, err
	}
	return x.Narrow(0, p.first, p.shard.Size(0)), nil
}

// readKept returns what an optimizer kept of this rank's rows.
func (s *sharder) readKept(dir string, opt optimizer) (map[int]map[string]any, error) {
	kept := map[int]map[string]any{}
	file, err := checkpoint.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil // it kept nothing
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	entries := file.Entries()
	for i, p := range s.numbered(opt) {
		for _, e := range entries {
			key, ok := strings.CutPrefix(e.Name, p.name+".")
			if !ok || strings.Contains(key, ".") {
				continue
			}
			x, err := file.Tensor(e.Name)
			if err != nil {
				return nil, err
			}
			if slices.Equal(e.Shape, p.whole) {
				x = x.Narrow(0, p.first, p.shard.Size(0))
			}
			if kept[i] == nil {
				kept[i] = map[string]any{}
			}
			kept[i][key] = x
		}
	}
	return kept, nil
}
