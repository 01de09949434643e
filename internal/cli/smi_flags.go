package cli

import (
	"slices"
	"strings"

	"cresset/internal/cli/flags"
)

// nvidiaFlags spells nvidia-smi's flags as package flags wants them: -lms is one flag, -l alone is -l 5, -i=0 is -i 0, and
// -a, which old scripts have, is -q.
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

// lacking are the options and commands of nvidia-smi that are refused by name: some of them would
// else be read as flags that have a value.
var lacking = strings.Fields(`-ac -acp -am -B -c -caa -cc -dm -e -fdm -gtt -lgc -lmc -lmcd -m -mig -p -pl -pm -r -rac -rgc -rmc -rmcd -sc -u -v -vm -x
	--accounting-mode --applications-clocks --applications-clocks-permission --auto-boost-default --auto-boost-default-force
	--auto-boost-permission --clear-accounted-apps --compute-mode --cuda-clocks --debug --driver-model --dtd --ecc-config
	--force-driver-model --get-hostname --gom --gpu-operation-mode --gpu-reset --gpu-target-temp --help-query-accounted-apps
	--help-query-remapped-rows --help-query-retired-pages --help-query-supported-clocks --list-excluded-gpus --lock-gpu-clocks
	--lock-memory-clocks --lock-memory-clocks-deferred --mode --multi-instance-gpu --persistence-mode --power-limit
	--query-accounted-apps --query-remapped-rows --query-retired-pages --query-supported-clocks --reset-applications-clocks
	--reset-ecc-errors --reset-gpu-clocks --reset-memory-clocks --reset-memory-clocks-deferred --scope --set-hostname --unit
	--version --virt-mode --xml-format
	boost-slider c2c clocks compute-policy conf-compute daemon dmon drain encodersessions fbcsessions gpm mig nvlink pci pmon
	power-hint power-profiles power-smoothing prm replay rusd stats topo vgpu`)

// lacks returns the first of the arguments after smi that names what nvidia-smi has and smi lacks.
func lacks(args []string) (name string, ok bool) {
	for i, a := range args {
		name, _, _ = strings.Cut(a, "=")
		if (i == 0 || strings.HasPrefix(a, "-")) && slices.Contains(lacking, name) {
			return name, true
		}
	}
	return "", false
}
