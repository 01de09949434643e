package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cresset/smi"
)

// show prints an inventory with the GPUs that --id names. Those that do not answer are named on stderr, and failed, which
// says why, decides the exit code. Published captures of nvidia-smi have the same: the line, and the others by their old
// numbers (https://github.com/meta-llama/llama-models/issues/200).
func (c *smiCommand) show(s *session, print func(inventory *smi.Inventory, attached int) error, inventory *smi.Inventory, failed error) error {
	attached := len(inventory.GPUs) + len(inventory.Missing)
	found := c.choose(inventory)
	for _, m := range inventory.Missing {
		fmt.Fprintln(s.stderr, unreachableGPU(m))
	}
	if !found {
		return &smiFailure{noDevices, exitNoDevices}
	}
	if len(inventory.GPUs) > 0 || c.JSON {
		if err := print(inventory, attached); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(s.stdout, noDevices)
	}
	if len(inventory.Missing) == 0 {
		return nil
	}
	if known, ok := errors.AsType[*smiFailure](reply(failed)); ok {
		return exitCode(known.code)
	}
	return reply(failed)
}

// choose leaves in an inventory what --id names, and reports whether all of that is there. A GPU that does not answer is
// known by its index alone.
func (c *smiCommand) choose(inventory *smi.Inventory) bool {
	if c.ID == "" {
		return true
	}
	var chosen []smi.GPU
	var missing []smi.Missing
	for id := range strings.SplitSeq(c.ID, ",") {
		i := slices.IndexFunc(inventory.Missing, func(m smi.Missing) bool { return strconv.Itoa(m.Index) == strings.TrimSpace(id) })
		if i >= 0 {
			missing = append(missing, inventory.Missing[i])
			continue
		}
		g, err := smi.Find(inventory.GPUs, id)
		if err != nil {
			return false
		}
		chosen = append(chosen, g)
	}
	inventory.GPUs, inventory.Missing = chosen, missing
	return true
}

// unreachableGPU is nvidia-smi's line about a GPU that does not answer.
func unreachableGPU(m smi.Missing) string {
	line := fmt.Sprintf("%s for GPU%d: %s", unreachable, m.Index, smi.Printable(m.Reason))
	if m.Reason == lost {
		line += rebootAdvice
	}
	return line
}
