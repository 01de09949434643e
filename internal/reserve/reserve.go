// Package reserve keeps programs off GPUs that another has asked for: who wants a GPU for itself locks a file that is named
// after the GPU's UUID. The locks are the kernel's, which releases them when the last program that holds one has ended,
// however it ended. What a file says counts only while it is locked, so a file that is left over, half written or hostile
// keeps nobody from a GPU.
//
// Reservations are an agreement, not a wall: a program that does not ask can use any GPU that it sees.
package reserve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"cresset/internal/filelock"
)

// How long a program waits for others that look or choose, which takes a millisecond. Only one that was stopped in the midst
// of it takes longer.
const (
	patienceToLook = 2 * time.Second
	patienceToTake = 20 * time.Second
	lastLook       = 500 * time.Millisecond // before the end of that
)

// Held returns who holds which of the GPUs, by UUID.
func Held(ctx context.Context, uuids []string) (map[string]Holder, error) {
	ctx, cancel := context.WithTimeout(ctx, patienceToLook)
	defer cancel()
	dir, err := find()
	if dir == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entered, free, held, err := settled(ctx, dir, uuids, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nobody has ever reserved one
	}
	if err == nil {
		leave(entered, free)
	}
	return held, err
}

// Reservation is a program's hold on GPUs.
type Reservation struct {
	mu        sync.Mutex
	locks     []*os.File
	inherited []*os.File // the same locks, open to programs that this one starts
}

// kept holds the reservations that were not released: the collector would close the files of one that nobody names any more,
// and so give its GPUs away.
var kept sync.Map

// Take reserves the GPUs that choose names of those with the given UUIDs; it names none of those that are held. While it
// chooses, nobody else does. At a simulated machine of this program's own there is nobody to keep off.
func Take(ctx context.Context, who Holder, uuids []string, choose func(held map[string]Holder) ([]string, error)) (*Reservation, error) {
	ctx, cancel := context.WithTimeout(ctx, patienceToTake)
	defer cancel()
	dir, err := makeFolder()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		_, err := choose(nil)
		return &Reservation{}, err
	}
	entered, free, held, err := settled(ctx, dir, uuids, true)
	if err != nil {
		return nil, err
	}
	defer func() { leave(entered, free) }()
	chosen, err := choose(held)
	if err != nil {
		return nil, err
	}
	r := &Reservation{}
	kept.Store(r, nil)
	for _, uuid := range chosen {
		if free[uuid] == nil {
			return nil, errors.Join(fmt.Errorf("reserve GPUs: %q is not one that can be had", uuid), r.Release())
		}
		r.locks = append(r.locks, free[uuid])
		delete(free, uuid)
	}
	if err := r.Describe(who); err != nil {
		return nil, errors.Join(err, r.Release())
	}
	return r, nil
}

// Describe tells others who holds the GPUs.
func (r *Reservation) Describe(who Holder) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return who.writeAll(r.locks)
}

// Release gives the GPUs up, even where a program that was started with them still runs.
func (r *Reservation) Release() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var faults []error
	for _, f := range append(r.inherited, r.locks...) {
		faults = append(faults, filelock.Unlock(f))
	}
	r.inherited, r.locks = nil, nil
	kept.Delete(r)
	return errors.Join(faults...)
}

// settled enters and looks, again while a program has just ended and its keeper is about to give its GPUs up, or to tell who
// has them now.
func settled(ctx context.Context, dir string, uuids []string, create bool) (entered *os.File, free map[string]*os.File, held map[string]Holder, err error) {
	end, _ := ctx.Deadline()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		if entered, err = enter(ctx, dir, create); err != nil {
			return nil, nil, nil, err
		}
		if free, held, err = look(dir, uuids, create); err != nil {
			leave(entered, free)
			return nil, nil, nil, err
		}
		leaving := false
		for _, h := range held {
			leaving = leaving || h.leaving()
		}
		if !leaving || time.Until(end) < lastLook {
			return entered, free, held, nil
		}
		leave(entered, free)
		time.Sleep(pause)
	}
}

// leave lets others look.
func leave(entered *os.File, free map[string]*os.File) {
	for _, f := range free {
		filelock.Unlock(f)
	}
	filelock.Unlock(entered)
}

// look locks the GPUs that nobody holds and tells who holds the others. It is for those who have entered: to others, what it
// locks looks reserved.
func look(dir string, uuids []string, create bool) (free map[string]*os.File, held map[string]Holder, err error) {
	free, held = map[string]*os.File{}, map[string]Holder{}
	for _, uuid := range uuids {
		if free[uuid] != nil {
			continue
		}
		name := strings.ReplaceAll(uuid, "/", "_") // old drivers name instances MIG-GPU-.../1/0
		f, taken, err := filelock.Lock(filepath.Join(dir, name+".lock"), create)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !create:
		case err != nil:
			return free, held, err
		case taken:
			held[uuid] = readHolder(f)
			f.Close()
		default:
			free[uuid] = f
		}
	}
	return free, held, nil
}
