package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"cresset/smi"
)

type pickCommand struct {
	N           int           `short:"n" default:"1" help:"How many GPUs."`
	MinFree     string        `placeholder:"SIZE" help:"Free memory that each must have, such as 20GiB."`
	MaxUtil     *int          `placeholder:"PERCENT" help:"Most utilization that each may have."`
	ExcludeBusy bool          `help:"Leave out GPUs on which a program computes."`
	Format      string        `enum:"uuid,index,env,json" default:"uuid" help:"uuid or index: a value for CUDA_VISIBLE_DEVICES; env: assignments for a shell; json."`
	Wait        time.Duration `placeholder:"TIME" help:"Wait so long for such GPUs, 10m for instance."`
}

// Help tells what the flags do not.
func (c *pickCommand) Help() string {
	return `Prints the GPUs with the most free memory, then the least utilization, on one line:

  gpus=$(cresset pick -n 2 --min-free 20GiB) || exit
  export CUDA_VISIBLE_DEVICES=$gpus

Where there are too few it prints nothing on stdout, and on stderr who holds the memory. UUIDs mean the same GPU in
every program; an index does so only with CUDA_DEVICE_ORDER=PCI_BUS_ID, which --format env sets too.

Exit codes: 0 done, 1 the GPUs cannot be listed, 2 wrong usage, 3 too few such GPUs, 130 interrupted.`
}

const (
	exitTooFew = 3
	pickAgain  = time.Second // between two looks of --wait
)

// Run prints the choice.
func (c *pickCommand) Run(s *session) error {
	wish, err := c.wish()
	if err != nil {
		fmt.Fprintf(s.stderr, "cresset: %v\n", err)
		return exitCode(exitUsage)
	}
	deadline := time.Now().Add(c.Wait)
	announced := false
	for inventory, err := range smi.Watch(s.ctx, pickAgain) {
		if err != nil {
			return err
		}
		if !announced {
			s.announce()
			announced = true
		}
		picked, err := smi.Pick(inventory.GPUs, wish)
		var tooFew *smi.PickError
		switch {
		case err == nil:
			return c.print(s, inventory.Source, picked)
		case !errors.As(err, &tooFew):
			return err
		case time.Now().Add(pickAgain).After(deadline):
			fmt.Fprintf(s.stderr, "cresset: %v\n", err)
			return exitCode(exitTooFew)
		}
	}
	return s.ctx.Err()
}

func (c *pickCommand) wish() (smi.Wish, error) {
	wish := smi.Wish{N: c.N, MaxUtilization: c.MaxUtil, ExcludeBusy: c.ExcludeBusy}
	switch {
	case c.N < 1:
		return wish, fmt.Errorf("-n must be at least 1, not %d", c.N)
	case c.MaxUtil != nil && (*c.MaxUtil < 0 || *c.MaxUtil > 100):
		return wish, fmt.Errorf("--max-util must be from 0 to 100, not %d", *c.MaxUtil)
	case c.Wait < 0:
		return wish, fmt.Errorf("--wait must not be negative, not %v", c.Wait)
	}
	var err error
	wish.MinFree, err = readSize(c.MinFree)
	return wish, err
}

// readSize reads a size in bytes: a number with one of the units, or without one.
func readSize(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimRight(text, "BKMGTi")
	factor, known := map[string]float64{
		"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
		"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	}[text[len(digits):]]
	number, err := strconv.ParseFloat(digits, 64)
	if !known || err != nil || !(number >= 0) || number*factor >= math.MaxInt64 {
		return 0, fmt.Errorf("--min-free must be a size such as 20GiB, not %q", text)
	}
	return uint64(number * factor), nil
}

// print prints the choice. Nothing is better than a value that means other GPUs.
func (c *pickCommand) print(s *session, source smi.Source, picked []smi.GPU) error {
	if c.Format == "index" && source == smi.Driver && smi.Env().Limited {
		return errors.New("without NVML only the GPUs of CUDA_VISIBLE_DEVICES are known, and not their indexes; use UUIDs")
	}
	var uuids, indexes []string
	for _, g := range picked {
		if g.UUID == "" && (c.Format == "uuid" || c.Format == "env") {
			return fmt.Errorf("GPU %d does not tell its UUID; use --format index", g.Index)
		}
		uuids = append(uuids, g.UUID)
		indexes = append(indexes, strconv.Itoa(g.Index))
	}
	switch c.Format {
	case "json":
		return json.NewEncoder(s.stdout).Encode(picked)
	case "index":
		fmt.Fprintln(s.stdout, strings.Join(indexes, ","))
	case "env":
		fmt.Fprintf(s.stdout, "CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES=%s\n", strings.Join(uuids, ","))
	default:
		fmt.Fprintln(s.stdout, strings.Join(uuids, ","))
	}
	return nil
}
