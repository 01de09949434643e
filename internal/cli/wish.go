package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"cresset/smi"
)

const (
	exitTooFew = 3
	pickAgain  = time.Second // between two looks of --wait
)

// wishFlags say which GPUs pick and run want.
type wishFlags struct {
	N           int           `short:"n" default:"1" help:"How many GPUs."`
	MinFree     string        `placeholder:"SIZE" help:"Free memory that each must have, such as 20GiB."`
	MaxUtil     *int          `placeholder:"PERCENT" help:"Most utilization that each may have."`
	ExcludeBusy bool          `help:"Leave out GPUs on which a program computes."`
	Wait        time.Duration `placeholder:"TIME" help:"Wait so long for such GPUs, 10m for instance."`
}

// seek looks at the GPUs until choose finds what is wished for, or the time is over.
func (f *wishFlags) seek(s *session, choose func(*smi.Inventory, smi.Wish) error) error {
	wish, err := f.wish()
	if err != nil {
		return s.misused(err.Error(), "cresset pick --help and cresset run --help list the flags")
	}
	deadline, every := time.Now().Add(f.Wait), pickAgain
	if f.Wait > 0 {
		every = min(every, f.Wait) // so that the last look is when the time is over
	}
	first := true
	for inventory, failed := range smi.Watch(s.ctx, every) {
		if inventory == nil {
			return failed
		}
		if first {
			s.announce()
		}
		if first && failed != nil { // there are others to choose from
			fmt.Fprintf(s.stderr, "cresset: %v\n", failed)
		}
		first = false
		err := choose(inventory, wish)
		if _, tooFew := errors.AsType[*smi.PickError](err); !tooFew {
			return err
		}
		if !time.Now().Before(deadline) {
			fmt.Fprintf(s.stderr, "cresset: %v\n", err)
			return exitCode(exitTooFew)
		}
	}
	return s.ctx.Err()
}

func (f *wishFlags) wish() (smi.Wish, error) {
	wish := smi.Wish{N: f.N, MaxUtilization: f.MaxUtil, ExcludeBusy: f.ExcludeBusy}
	switch {
	case f.N < 1:
		return wish, fmt.Errorf("-n must be at least 1, not %d", f.N)
	case f.MaxUtil != nil && (*f.MaxUtil < 0 || *f.MaxUtil > 100):
		return wish, fmt.Errorf("--max-util must be from 0 to 100, not %d", *f.MaxUtil)
	case f.Wait < 0:
		return wish, fmt.Errorf("--wait must not be negative, not %v", f.Wait)
	}
	var err error
	wish.MinFree, err = readSize(f.MinFree)
	return wish, err
}

// readSize reads a size in bytes: a number with one of the units, or without one. Case does not matter, and a letter alone
// is the larger of its units, as batch systems have it.
func readSize(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	unit := strings.ToLower(strings.TrimLeft(text, "0123456789.+-"))
	digits := text[:len(text)-len(unit)]
	factor, known := map[string]float64{
		"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
		"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	}[strings.TrimSpace(unit)]
	number, err := strconv.ParseFloat(digits, 64)
	if !known || err != nil || !(number >= 0) || number*factor >= math.MaxInt64 {
		return 0, fmt.Errorf("--min-free must be a size such as 20GiB, not %q", text)
	}
	return uint64(number * factor), nil
}
