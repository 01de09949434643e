package cli

import (
	"strings"

	"cresset/internal/cli/flags"
)

// nvidiaFlags spells nvidia-smi's flags as package flags wants them: -lms is one flag, -l alone
// is -l 5, -i=0 is -i 0, and -a, which old scripts have, is -q.
func nvidiaFlags(args []string) []string {
	var out []string
	for i, a := range args {
		alone := i+1 == len(args) || flags.IsFlag(args[i+1])
		switch {
		case a == "-a":
			a = "-q"
		case (a == "-l" || a == "--loop") && alone:
			a = "--loop=5"
		case strings.HasPrefix(a, "-lms"):
			a = strings.TrimSuffix("--loop-ms="+strings.TrimPrefix(a[len("-lms"):], "="), "=")
		case len(a) > 2 && a[0] == '-' && a[1] != '-' && a[2] == '=':
			a = a[:2] + a[3:]
		}
		out = append(out, a)
	}
	return out
}
