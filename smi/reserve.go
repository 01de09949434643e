package smi

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"cresset/internal/reserve"
)

// Holder is the program that has reserved a GPU, by its own account. It is zero where the program has not told.
type Holder struct {
	PID  int    `json:"pid,omitempty"`
	Name string `json:"name,omitempty"`
}

// String returns the program's name and number, fit for a terminal.
func (h Holder) String() string {
	if h.PID == 0 {
		return "another program"
	}
	return fmt.Sprintf("%s (pid %d)", cmp.Or(Printable(h.Name), "a process"), h.PID)
}

// Reservation is a program's hold on GPUs. The system ends it when the program ends, however that comes about.
type Reservation struct {
	GPUs []GPU // the best first
	held *reserve.Reservation
}

// Reserve picks GPUs as Pick does and keeps them from other programs that pick or reserve, but not from those that just use
// them. Choice and reservation are one step: two programs never get the same GPU. Who has reserved which GPU it asks anew.
// It fails with a *PickError where too few can be had now.
func Reserve(ctx context.Context, gpus []GPU, wish Wish) (*Reservation, error) {
	r := &Reservation{}
	var err error
	r.held, err = reserve.Take(ctx, self(), uuids(gpus), func(held map[string]reserve.Holder) ([]string, error) {
		var err error
		if r.GPUs, err = Pick(marked(gpus, held), wish); err != nil {
			return nil, err
		}
		for _, g := range r.GPUs {
			if g.UUID == "" {
				return nil, fmt.Errorf("reserve GPUs: GPU %d does not tell its UUID", g.Index)
			}
		}
		return uuids(r.GPUs), nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Visible returns the value of CUDA_VISIBLE_DEVICES with which a program sees the reserved GPUs alone, the best as cuda:0.
func (r *Reservation) Visible() string { return strings.Join(uuids(r.GPUs), ",") }

// Pass lets cmd, which is not started yet, see the reserved GPUs alone and hold them too: they stay reserved until it has
// ended, even if this program is killed before. On Unix every program that this one starts from then on, or becomes by exec,
// holds them.
func (r *Reservation) Pass(cmd *exec.Cmd) error {
	cmd.Env = append(cmd.Environ(), "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES="+r.Visible())
	if err := r.held.Describe(holderOf(cmd)); err != nil {
		return err
	}
	return r.held.Pass(cmd)
}

// Guard is Pass for a program that becomes cmd by exec, and on Linux starts a keeper besides: a process of this program,
// called with the given arguments and one more, which has to call Keep with the latter. It holds the GPUs while cmd runs, or
// programs that it has started and left behind, even where those close the files that they inherit, as sudo, tmux and daemons do.
func (r *Reservation) Guard(cmd *exec.Cmd, keeper ...string) error {
	if err := r.Pass(cmd); err != nil {
		return err
	}
	environment, err := r.held.Guard(holderOf(cmd), keeper...)
	cmd.Env = append(cmd.Env, environment...)
	return err
}

// Keep is what a keeper does; see Guard.
func Keep(argument string) error { return reserve.Keep(argument) }

func holderOf(cmd *exec.Cmd) reserve.Holder {
	return reserve.Holder{PID: os.Getpid(), Name: filepath.Base(cmd.Path)}
}

// Release gives the GPUs up. On Unix it takes them from programs that hold them too.
func (r *Reservation) Release() error { return r.held.Release() }

func self() reserve.Holder {
	name, err := os.Executable()
	if err != nil {
		name = os.Args[0]
	}
	return reserve.Holder{PID: os.Getpid(), Name: filepath.Base(name)}
}

// uuids returns the UUIDs of the GPUs that tell them.
func uuids(gpus []GPU) (all []string) {
	for _, g := range gpus {
		if g.UUID != "" {
			all = append(all, g.UUID)
		}
	}
	return all
}

// marked returns the GPUs with those who have reserved them.
func marked(gpus []GPU, held map[string]reserve.Holder) []GPU {
	gpus = slices.Clone(gpus)
	for i := range gpus {
		gpus[i].ReservedBy = nil
		if h, ok := held[gpus[i].UUID]; ok {
			by := Holder{PID: h.PID, Name: h.Name}
			gpus[i].ReservedBy = &by
		}
	}
	return gpus
}

func (i *Inventory) markReserved() {
	var held map[string]reserve.Holder
	held, i.ReservedUnknown = reserve.Held(context.Background(), uuids(i.GPUs))
	i.GPUs = marked(i.GPUs, held)
}
