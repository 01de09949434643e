package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cresset/smi"
)

type pickCommand struct {
	wishFlags `embed:""`
	Format    string `enum:"uuid,index,env,json" default:"uuid" help:"uuid or index: a value for CUDA_VISIBLE_DEVICES; env: assignments for a shell; json."`
}

// Help tells what the flags do not.
func (c *pickCommand) Help() string {
	return `Prints the GPUs with the most free memory, then the least utilization, on one line:

  gpus=$(cresset pick -n 2 --min-free 20GiB) || exit
  export CUDA_VISIBLE_DEVICES=$gpus

Where there are too few it prints nothing on stdout, and on stderr who holds the memory. UUIDs mean the same GPU in
every program; an index does so only with CUDA_DEVICE_ORDER=PCI_BUS_ID, which --format env sets too. GPUs that a
running "cresset run" has reserved are left out; pick itself reserves nothing.

Exit codes: 0 done, 1 the GPUs cannot be listed, 2 wrong usage, 3 too few such GPUs, 130 interrupted.`
}

// Run prints the choice.
func (c *pickCommand) Run(s *session) error {
	warned := false
	return c.seek(s, func(inventory *smi.Inventory, wish smi.Wish) error {
		if inventory.ReservedUnknown != nil && !warned {
			fmt.Fprintf(s.stderr, "cresset: nothing is known of reservations: %v\n", inventory.ReservedUnknown)
			warned = true
		}
		picked, err := smi.Pick(inventory.GPUs, wish)
		if err != nil {
			return err
		}
		return c.print(s, inventory.Source, picked)
	})
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
		return writeLine(s.stdout, strings.Join(indexes, ","))
	case "env":
		return writeLine(s.stdout, "CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES="+strings.Join(uuids, ","))
	}
	return writeLine(s.stdout, strings.Join(uuids, ","))
}

// writeLine fails where the line is lost: success with an empty value hides every GPU.
func writeLine(w io.Writer, line string) error {
	_, err := fmt.Fprintln(w, line)
	return err
}
