package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/internal/hardware"
	"cresset/internal/tenants"
	"cresset/smi"
)

// logged are machines of every generation. The rows of their logs, the order and the columns are those of nvidia-smi -q in
// captures that are published on GitHub: 418.67 and 470.129 of a V100, 450.102 of an RTX 2070, 510.68 of a GTX 1650, 525.105
// of an H800, 535.129 of an A100, 550.127 of an RTX 6000 Ada, 570.124 of an RTX 5090 and
// 580.173 of an RTX 5080. Values are what the simulation tells, and N/A.
var logged = map[string]string{
	"418": `{"driver": "418.67", "cuda": "10.1", "gpus": [{"preset": "t4", "name": "Tesla V100-SXM2-32GB", "capability": "7.0", "eccCorrected": 3}]}`,
	"450": `{"driver": "450.102.04", "cuda": "11.0", "gpus": [{"preset": "t4", "name": "GeForce RTX 2070", "fan": 0,
		"processes": [{"pid": 12769, "name": "/usr/bin/python", "memory": "6757MiB"}], "used": "6757MiB"}]}`,
	"470": `{"driver": "470.129.06", "cuda": "11.4", "gpus": [{"preset": "t4", "name": "Tesla V100-PCIE-32GB", "capability": "7.0"}]}`,
	"510": `{"driver": "510.68.02", "cuda": "11.6", "gpus": [{"preset": "gtx1050", "name": "NVIDIA GeForce GTX 1650", "capability": "7.5"}]}`,
	"525": `{"driver": "525.105.17", "cuda": "12.0", "gpus": [{"preset": "h100"}]}`,
	"535": `{"driver": "535.129.03", "cuda": "12.2", "gpus": [{"preset": "a100", "mig": true, "instances": [
		{"profile": "3g.20gb", "memory": "20096MiB", "multiprocessors": 42, "gpuInstance": 2}]}]}`,
	"550": `{"driver": "550.127.05", "cuda": "12.4", "gpus": [{"preset": "a100", "reserved": "500MiB", "serial": "1714123005421"}]}`,
	"570": `{"driver": "570.124.06", "cuda": "12.8", "gpus": [{"preset": "h100"}]}`,
	"580": `{"driver": "580.173.02", "cuda": "13.0", "gpus": [{"preset": "h200",
		"processes": [{"pid": 2573, "name": "/usr/bin/python", "memory": "276MiB"}], "used": "276MiB"}]}`,
}

// take describes a machine of a file of its own.
func take(t *testing.T, file string) *smi.Inventory {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gpus.json")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(hardware.Variable, path)
	t.Setenv(tenants.Variable, "off")
	inventory, err := smi.TakeDetails()
	if err != nil {
		t.Fatal(err)
	}
	inventory.Time = at(t, "Fri Jan  3 16:20:51 2020")
	return inventory
}

// TestSMILog compares whole logs. go test ./internal/cli -run SMILog -update rewrites what they are compared with.
func TestSMILog(t *testing.T) {
	for name, file := range logged {
		inventory := take(t, file)
		var b strings.Builder
		(&logWriter{&b, layoutOf(inventory.Driver), nil}).write(inventory, 1)
		golden := filepath.Join("testdata", "smi", "log-"+name+".txt")
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s: got\n%s", name, b.String())
		}
	}
}

// TestSMILogSections: a section that is asked for alone has its own rows and those of no other.
func TestSMILogSections(t *testing.T) {
	inventory := take(t, logged["580"])
	for section, want := range map[string]string{
		"MEMORY": "FB Memory Usage", "UTILIZATION": "GPU Utilization Samples", "ECC": "ECC Errors", "TEMPERATURE": "GPU Shutdown T.Limit Temp",
		"POWER": "Power Samples", "CLOCK": "SM Clock Samples", "COMPUTE": "Compute Mode", "PIDS": "Process ID", "PERFORMANCE": "SW Power Cap",
		"SUPPORTED_CLOCKS": "Supported Clocks", "PAGE_RETIREMENT": "Retired Pages", "ACCOUNTING": "Accounted Processes",
		"ENCODER_STATS": "Encoder Stats", "FBC_STATS": "FBC Stats", "ROW_REMAPPER": "Remapped Rows",
	} {
		sections, err := readSections(strings.ToLower(section))
		if err != nil {
			t.Error(err)
			continue
		}
		var b strings.Builder
		(&logWriter{&b, layoutOf(inventory.Driver), sections}).write(inventory, 1)
		if !strings.Contains(b.String(), "    "+want) || strings.Contains(b.String(), "Product Name") {
			t.Errorf("%s: got\n%s", section, b.String())
		}
	}
	if _, err := readSections("MEMORY,FANS"); err == nil || !strings.Contains(err.Error(), `"FANS"`) {
		t.Errorf("got %v", err)
	}
}
