package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cresset/smi"
)

func given[T any](value T) *T { return &value }

func at(t *testing.T, clock string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.ANSIC, clock)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func golden(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "smi", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// program is a process with so many MiB.
func program(pid int, kind, name string, mebibytes uint64) smi.Process {
	return smi.Process{PID: pid, Type: kind, Name: name, Memory: given(mebibytes << 20)}
}

// captures are machines whose nvidia-smi was published, with what it printed.
func captures(t *testing.T) map[string]*smi.Inventory {
	memory := func(used, total uint64) smi.Memory { return smi.Memory{Used: used << 20, Total: total << 20} }
	gpu := func(name, bus string, m smi.Memory) smi.GPU {
		return smi.GPU{
			Name: name, BusID: bus, Memory: m, ComputeMode: smi.Default, Utilization: given(0),
			Persistence: given(false), Display: given(false),
		}
	}
	note := gpu("GeForce GTX 1050 Ti", "00000000:01:00.0", memory(1670, 4042))
	note.Temperature, note.PState = given(42), given(0)
	note.Processes = []smi.Process{
		program(1572, "G", "/usr/lib/xorg/Xorg", 601), program(4508, "G", "compiz", 231),
		program(4935, "G", "chrome --field-trial --service-request-channel-token=592189694510481540", 486),
		program(5574, "G", "chrome --field-trial --service-request-channel-token=4527142888685015556", 328),
		program(10049, "G", "code --snapshot-blob-is-passed-by-fd --v8-snapshot-passed-by-fd", 21),
	}
	titan := gpu("NVIDIA TITAN Xp", "00000000:01:00.0", memory(340, 12194))
	titan.Fan, titan.Temperature, titan.PState, titan.Power, titan.PowerLimit = given(23), given(34), given(8), given(17.6), given(250.0)
	titan.Display = given(true)
	titan.Processes = []smi.Process{
		program(1982, "G", "/usr/lib/xorg/Xorg", 143), program(2223, "G", "/usr/bin/gnome-shell", 52),
		program(4125, "G", "chrome --enable-features=SpareRendererForSitePerProcess", 142),
	}
	small := gpu("NVIDIA GeForce GTX 1050 Ti", "00000000:03:00.0", memory(2528, 4096))
	small.Fan, small.Temperature, small.PState, small.PowerLimit, small.Utilization = given(57), given(85), given(0), given(75.0), given(93)
	small.Persistence = given(true)
	small.Processes = []smi.Process{
		program(2421, "G", "/usr/lib/xorg/Xorg", 30), program(2767, "G", "xfwm4", 1),
		program(190709, "C", "/tmp/ollama/runners/cuda_v12/ollama_llama_server", 2492),
	}
	large := gpu("NVIDIA GeForce GTX 1060 6GB", "00000000:04:00.0", memory(5226, 6144))
	large.Index, large.Fan, large.Temperature, large.PState, large.Power, large.PowerLimit = 1, given(33), given(52), given(2), given(49.0), given(120.0)
	large.Persistence, large.Utilization = given(true), given(100)
	large.Processes = []smi.Process{program(2421, "G", "/usr/lib/xorg/Xorg", 4), program(7699, "C", "python", 5218)}
	ada := gpu("NVIDIA RTX 6000 Ada Generation", "00000000:01:00.0", memory(2, 49140))
	ada.Fan, ada.Temperature, ada.PState, ada.Power, ada.PowerLimit = given(30), given(30), given(8), given(23.83), given(300.0)
	ada.Persistence, ada.ECC = given(true), given(false)
	laptop := gpu("NVIDIA GeForce RTX 3050 Laptop GPU", "00000000:01:00.0", memory(2757, 4096))
	laptop.Temperature, laptop.PState, laptop.Power, laptop.PowerLimit = given(51), given(8), given(9.2), given(60.0)
	laptop.Processes = []smi.Process{program(1671, "G", "/usr/lib/xorg/Xorg", 4), program(53460, "C", "/app/llama-server", 2734)}

	machine := func(clock, driver, cuda string, gpus ...smi.GPU) *smi.Inventory {
		return &smi.Inventory{Time: at(t, clock), Driver: driver, CUDA: cuda, GPUs: gpus}
	}
	return map[string]*smi.Inventory{
		// The first of the project's founding notes.
		"418.txt": machine("Fri Jan  3 16:20:51 2020", "418.67", "10.1", note),
		// The others stand in README files and reports on GitHub: a TITAN Xp under Ubuntu, a Debian 12 server for ollama,
		// a workstation with eight RTX 6000 Ada (the first), a laptop with an RTX 3050.
		"470.txt": machine("Wed Jan 24 18:26:27 2024", "470.223.02", "11.4", titan),
		"535.txt": machine("Fri Dec 13 18:25:30 2024", "535.183.01", "12.2", small, large),
		"550.txt": machine("Thu Nov 14 10:19:08 2024", "550.127.05", "12.4", ada),
		"580.txt": machine("Sun Jun 28 09:58:59 2026", "580.142", "13.0", laptop),
	}
}

// TestSMITable compares with captures of every generation, byte for byte.
func TestSMITable(t *testing.T) {
	for name, inventory := range captures(t) {
		var b strings.Builder
		writeSMITable(&b, layoutOf(inventory.Driver), inventory)
		if want := golden(t, name); b.String() != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, b.String(), want)
		}
	}
}

// TestMIGTable compares rows with captures that are published on GitHub: A100s with drivers 470 (PCIe 40GB), 535 (PCIe 40GB)
// and 550 (PCIe 80GB).
func TestMIGTable(t *testing.T) {
	part := func(gpuInstance, multiprocessors int, used, total, bar1 uint64, engines smi.Engines) smi.GPU {
		return smi.GPU{MIG: given(true), ECC: given(true), Instances: []smi.Instance{{
			GPUInstance: gpuInstance, Multiprocessors: &multiprocessors, Engines: &engines,
			Memory: &smi.Memory{Used: used << 20, Total: total << 20}, BAR1: &smi.Memory{Total: bar1 << 20},
		}}}
	}
	for _, tc := range []struct {
		driver string
		gpu    smi.GPU
		want   []string
	}{
		{"470.57.02", part(2, 42, 11, 20096, 32767, smi.Engines{Copy: 3, Decoders: 2}), []string{
			"| MIG devices:                                                                |",
			"+------------------+----------------------+-----------+-----------------------+",
			"| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |",
			"|      ID  ID  Dev |           BAR1-Usage | SM     Unc| CE  ENC  DEC  OFA  JPG|",
			"|                  |                      |        ECC|                       |",
			"|==================+======================+===========+=======================|",
			"|  0    2   0   0  |     11MiB / 20096MiB | 42      0 |  3   0    2    0    0 |",
			"|                  |      0MiB / 32767MiB |           |                       |",
			"+------------------+----------------------+-----------+-----------------------+",
		}},
		{"535.104.05", part(7, 14, 5, 4864, 8191, smi.Engines{Copy: 1}), []string{
			"| MIG devices:                                                                          |",
			"+------------------+--------------------------------+-----------+-----------------------+",
			"| GPU  GI  CI  MIG |                   Memory-Usage |        Vol|      Shared           |",
			"|      ID  ID  Dev |                     BAR1-Usage | SM     Unc| CE ENC DEC OFA JPG    |",
			"|                  |                                |        ECC|                       |",
			"|==================+================================+===========+=======================|",
			"|  0    7   0   0  |               5MiB /  4864MiB  | 14      0 |  1   0    0    0    0 |",
			"|                  |               0MiB /  8191MiB  |           |                       |",
			"+------------------+--------------------------------+-----------+-----------------------+",
		}},
		{"550.54.15", part(1, 42, 107, 40192, 65535, smi.Engines{Copy: 3, Decoders: 2}), []string{
			"| MIG devices:                                                                            |",
			"+------------------+----------------------------------+-----------+-----------------------+",
			"| GPU  GI  CI  MIG |                     Memory-Usage |        Vol|        Shared         |",
			"|      ID  ID  Dev |                       BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |",
			"|                  |                                  |        ECC|                       |",
			"|==================+==================================+===========+=======================|",
			"|  0    1   0   0  |             107MiB / 40192MiB    | 42      0 |  3   0    2    0    0 |",
			"|                  |                 0MiB / 65535MiB  |           |                       |",
			"+------------------+----------------------------------+-----------+-----------------------+",
		}},
	} {
		var b strings.Builder
		writeSMITable(&b, layoutOf(tc.driver), &smi.Inventory{Driver: tc.driver, GPUs: []smi.GPU{tc.gpu}})
		if want := strings.Join(tc.want, "\n"); !strings.Contains(b.String(), want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.driver, b.String(), want)
		}
	}
	var b strings.Builder
	writeSMITable(&b, layoutOf("470.57.02"), &smi.Inventory{GPUs: []smi.GPU{{MIG: given(true)}}})
	if want := "|  No MIG devices found                                                       |\n+----"; !strings.Contains(b.String(), want) {
		t.Errorf("without devices: got\n%s", b.String())
	}
}

// TestSMITableIsStraight: whatever a machine reports, every line of a generation has its width.
func TestSMITableIsStraight(t *testing.T) {
	full := smi.GPU{
		Index: 15, Name: strings.Repeat("NVIDIA ", 9), BusID: "0000000A:C1:00.0", Memory: smi.Memory{Used: 140000 << 20, Total: 143771 << 20},
		Utilization: given(100), Temperature: given(100), Fan: given(100), PState: given(12), Power: given(699.99), PowerLimit: given(700.0),
		ECC: given(true), ECCErrors: given[uint64](12345678), ComputeMode: smi.ExclusiveProcess, MIG: given(true),
		Instances:   []smi.Instance{{Index: 6, GPUInstance: 13, Multiprocessors: given(132), Memory: &smi.Memory{Used: 139999 << 20, Total: 143771 << 20}}},
		Persistence: given(true), Display: given(true),
		Processes: []smi.Process{
			program(4194304, "C+G", "\x1b[2J\x1b[31m"+strings.Repeat("évil\n", 20), 139999), {PID: 1, Type: "C"},
			{PID: 2, Type: "C", GPUInstance: given(13), ComputeInstance: given(0)},
		},
	}
	for _, l := range smiLayouts {
		var b strings.Builder
		writeSMITable(&b, l, &smi.Inventory{Driver: "570.211.01", CUDA: "12.8", GPUs: []smi.GPU{full, {}}})
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		for i, line := range lines[1:] {
			width := len([]rune(line))
			if strings.TrimSpace(line) != "" && width != l.width()+2 {
				t.Errorf("%d: line %d is %d wide, not %d: %s", l.since, i+1, width, l.width()+2, line)
			}
		}
		if strings.ContainsAny(b.String(), "\x1b\r") {
			t.Errorf("%d: a name reaches the terminal as it is", l.since)
		}
	}
}

// TestSMILogMemory compares with a capture that is published on GitHub.
func TestSMILogMemory(t *testing.T) {
	inventory := &smi.Inventory{
		Time: at(t, "Wed Jun  3 07:50:00 2020"), Driver: "440.33.01", CUDA: "10.2",
		GPUs: []smi.GPU{{BusID: "00000000:01:00.0", Memory: smi.Memory{Total: 7979 << 20, Free: 7979 << 20}, BAR1: &smi.Memory{Total: 256 << 20, Used: 2 << 20, Free: 254 << 20}}},
	}
	sections, err := readSections("memory")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	(&logWriter{&b, layoutOf(inventory.Driver), sections}).write(inventory, 1)
	if want := golden(t, "440-memory.txt"); b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestFreeRow is the fourth of the founding notes: it looks for Free in the four lines after the GPU's, where drivers with a
// Reserved row do not have it.
func TestFreeRow(t *testing.T) {
	for driver, found := range map[string]bool{"418.67": true, "470.256.02": true, "510.47.03": false, "580.126.09": false} {
		var b strings.Builder
		inventory := &smi.Inventory{Driver: driver, GPUs: []smi.GPU{{BusID: "00000000:01:00.0", Memory: smi.Memory{Free: 10481 << 20}}}}
		(&logWriter{&b, layoutOf(driver), []string{"MEMORY"}}).write(inventory, 1)
		_, after, _ := strings.Cut(b.String(), "GPU 00000000:01:00.0\n")
		window := strings.Join(strings.SplitN(after, "\n", 6)[:4], "\n")
		if got := strings.Contains(window, "Free"); got != found {
			t.Errorf("%s: found %v\n%s", driver, got, window)
		}
		if !strings.Contains(b.String(), ": 10481 MiB\n") {
			t.Errorf("%s: no free memory in\n%s", driver, b.String())
		}
	}
}

// TestGPUNames has the form of NVIDIA's MIG user guide.
func TestGPUNames(t *testing.T) {
	var b strings.Builder
	writeGPUNames(&b, smi.GPU{
		Name: "NVIDIA A100-SXM4-40GB", UUID: "GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77",
		Instances: []smi.Instance{{Name: "1g.5gb", UUID: "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f"}},
	})
	want := "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)\n" +
		"  MIG 1g.5gb      Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestChooseLayout(t *testing.T) {
	for _, tc := range []struct {
		flag, driver string
		log          bool
		want         int
	}{
		{"", "418.67", false, 580}, {"", "418.67", true, 418}, {"driver", "470.1", false, 450}, {"418", "580.1", true, 418},
		{"", "610.43", true, 580}, {"", "525.147.01", true, 510}, {"", "", true, 580}, {"current", "470.1", true, 580}, {"", "390.1", true, 418},
	} {
		if got, err := chooseLayout(tc.flag, tc.driver, tc.log); err != nil || got.since != tc.want {
			t.Errorf("%+v: got %d, %v", tc, got.since, err)
		}
	}
	if _, err := chooseLayout("419", "", false); err == nil {
		t.Error("419 is no generation")
	}
}

func TestCSV(t *testing.T) {
	full := smi.GPU{
		Name: "NVIDIA L4", UUID: "GPU-5428af19-1e82-a38c-ee42-cdd3ad745b7e", BusID: "00000000:31:00.0", Capability: "8.9", PState: given(8), Details: &smi.Details{Link: smi.Link{Generation: given(1)}, DeviceID: given[uint32](0x27b810de), ClockReasons: given[uint64](1)},
		Memory: smi.Memory{Total: 23034 << 20, Used: 412 << 20, Free: 22187 << 20}, Utilization: given(3), Temperature: given(36), Power: given(16.21),
		Processes: []smi.Process{program(7, "C", "python,\x1b[1m", 400), program(8, "G", "Xorg", 12), {PID: 9, Type: "C", Name: "hidden"}},
	}
	inventory := &smi.Inventory{Driver: "550.90.07", GPUs: []smi.GPU{full, {Index: 1, Name: "old"}}}
	for _, tc := range []struct {
		fields, format, want string
		programs             bool
	}{
		{"index,name,memory.total,memory.used,utilization.gpu,driver_version", "csv", "index, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%], driver_version\n" +
			"0, NVIDIA L4, 23034 MiB, 412 MiB, 3 %, 550.90.07\n1, old, 0 MiB, 0 MiB, [N/A], 550.90.07\n", false},
		{"memory.free, temperature.gpu,power.draw,uuid", "csv,noheader,nounits", "22187, 36, 16.21, GPU-5428af19-1e82-a38c-ee42-cdd3ad745b7e\n0, [N/A], [N/A], [N/A]\n", false},
		{"pci.bus_id,pstate,compute_cap,gpu_name,temperature.gpu", "csv,nounits", "pci.bus_id, pstate, compute_cap, name, temperature.gpu\n" +
			"00000000:31:00.0, P8, 8.9, NVIDIA L4, 36\n[N/A], [N/A], [N/A], old, [N/A]\n", false},
		{"pcie.link.gen.current,ecc.errors.corrected.volatile.total,power.max_limit", "csv", "pcie.link.gen.current, ecc.errors.corrected.volatile.total, power.max_limit [W]\n" +
			"1, [N/A], [N/A]\n[N/A], [N/A], [N/A]\n", false},
		{"pci.domain,pci.bus,pci.device_id,clocks_throttle_reasons.active,clocks_event_reasons.gpu_idle,power.draw.instant,power.draw.average,encoder.stats.sessionCount,retired_pages.sbe",
			"csv,noheader,nounits", "0x0000, 0x31, 0x27B810DE, 0x0000000000000001, Active, [N/A], 16.21, [N/A], [N/A]\n" + strings.Repeat("[N/A], ", 8) + "[N/A]\n", false},
		{"pid,process_name,used_memory", "csv", "pid, process_name, used_gpu_memory [MiB]\n7, python,?[1m, 400 MiB\n9, hidden, [N/A]\n", true},
	} {
		known, rows := gpuFields(), gpuRows(inventory, len(inventory.GPUs))
		if tc.programs {
			known, rows = programFields(), programRows(inventory, len(inventory.GPUs))
		}
		fields, err := csvFields(tc.fields, known)
		if err != nil {
			t.Error(err)
			continue
		}
		form, err := readCSVForm(tc.format, "[N/A]")
		if err != nil {
			t.Error(err)
			continue
		}
		var b strings.Builder
		writeCSV(&b, form, fields, rows, true)
		if b.String() != tc.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.fields, b.String(), tc.want)
		}
	}
	if _, err := csvFields("index,cuda_version", gpuFields()); err == nil || err.Error() != `Field "cuda_version" is not a valid field to query.` {
		t.Errorf("got %v", err)
	}
}

// TestEveryField has the fields of an H200 with driver 590.48.01, which are published at
// https://github.com/utkuozdemir/nvidia_gpu_exporter/tree/main/internal/captures.
func TestEveryField(t *testing.T) {
	known := gpuFields()
	for head := range strings.SplitSeq(strings.TrimSpace(golden(t, "query-590.txt")), ", ") {
		name, unit, _ := strings.Cut(strings.TrimSuffix(head, "]"), " [")
		if f, ok := known[name]; !ok || f.name != name || f.unit != unit {
			t.Errorf("%s: got %q with unit %q, %v", head, f.name, f.unit, ok)
		}
	}
	for name, f := range known {
		if f.name == "" || known[f.name].name != f.name {
			t.Errorf("%q is another name of %q", name, f.name)
		}
	}
}

func TestReadSize(t *testing.T) {
	for text, want := range map[string]uint64{"": 0, "20GiB": 20 << 30, "1.5GiB": 3 << 29, "512MiB": 512 << 20, "2GB": 2e9, "7": 7, "0": 0, "20G": 20 << 30, "20g": 20 << 30, "20gib": 20 << 30, "20 GiB": 20 << 30} {
		if got, err := readSize(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"GiB", "-1GiB", "NaNGiB", "1PiB", "20Gi", "InfGiB", "--2G", "G20", "1e30", "x"} {
		if got, err := readSize(text); err == nil {
			t.Errorf("%q: got %d", text, got)
		}
	}
}
