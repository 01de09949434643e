package hardware

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const full = `{"driver": "470.256.02", "cuda": "11.4", "gpus": [
	{"preset": "gtx1050", "bus": "00000000:02:00.0", "used": "1670MiB", "processes": [
		{"pid": 1572, "type": "G", "name": "/usr/lib/xorg/Xorg", "memory": "601MiB"}]},
	{"preset": "gtx1070", "memory": "4GiB", "fan": 30}],
	"peers": [[false, true], [false, false]]}`

func TestRead(t *testing.T) {
	m, err := Read("two.json", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	if m.Driver != "470.256.02" || m.CUDA != 11040 || len(m.GPUs) != 2 || m.Source != "two.json" {
		t.Fatalf("got %+v", m)
	}
	a, b := m.GPUs[0], m.GPUs[1]
	if a.Name != "NVIDIA GeForce GTX 1050" || a.Bus != "00000000:02:00.0" || a.Used != 1670<<20 || a.Major != 6 || a.Minor != 1 {
		t.Errorf("first GPU: got %+v", a)
	}
	if want := (Process{1572, "G", "/usr/lib/xorg/Xorg", 601 << 20}); len(a.Processes) != 1 || a.Processes[0] != want {
		t.Errorf("processes: got %+v, want %+v", a.Processes, want)
	}
	if b.Memory != 4<<30 || b.Fan != 30 || b.Bus != "00000000:01:00.0" || b.UUID == a.UUID {
		t.Errorf("second GPU: got %+v", b)
	}
	if !m.CanAccess(0, 1) || m.CanAccess(1, 0) || m.CanAccess(0, 0) {
		t.Errorf("peers: got %v", m.Peers)
	}
	if domain, bus, device := a.Address(); domain != 0 || bus != 2 || device != 0 {
		t.Errorf("address: got %d, %d, %d", domain, bus, device)
	}
}

// TestLongNames: a program's name can be a path of 4,096 bytes, a GPU's has 90.
func TestLongNames(t *testing.T) {
	machine := func(gpu, program string) []byte {
		return fmt.Appendf(nil, `{"driver": "470.256.02", "cuda": "11.4", "gpus": [{"preset": "gtx1050", "name": %q, "processes": [{"pid": 1, "name": %q}]}]}`, gpu, program)
	}
	name := strings.Repeat("x", 4096)
	if m, err := Read("long.json", machine(name[:90], name)); err != nil || m.GPUs[0].Processes[0].Name != name {
		t.Errorf("got %v", err)
	}
	for _, text := range [][]byte{machine(name[:91], name), machine(name[:90], name+"x")} {
		if _, err := Read("long.json", text); err == nil || len(err.Error()) > 300 {
			t.Errorf("got %v", err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, text   string
		line, column int
		field, part  string
	}{
		{"nothing", ``, 1, 1, "", "ends too early"},
		{"cut off", `{"driver": "470.256.02",`, 1, 25, "", "ends too early"},
		{"no JSON", "{\n  driver}", 2, 3, "", "not JSON"},
		{"missing comma", `{"cuda": "11.4" "driver": "1"}`, 1, 17, "", "not JSON"},
		{"two values", `{"driver":"470.256.02","cuda":"11.4"} 1`, 1, 39, "", "more after the end"},
		{"a list", `[]`, 1, 1, "", "want an object, have a list"},
		{"no driver", `{"cuda": "11.4"}`, 1, 1, "", `no "driver"`},
		{"no cuda", `{"driver": "470.256.02"}`, 1, 1, "", `no "cuda"`},
		{"wrong driver", `{"driver": "new"}`, 1, 12, "driver", `have "new"`},
		{"wrong version", `{"cuda": 11.4}`, 1, 10, "cuda", "want a string, have a number"},
		{"unknown field", "{\n\t\"gpu\": []}", 2, 9, "gpu", "unknown field; known are cuda, driver, gpus, library, loaded, peers, wddm"},
		{"given twice", `{"cuda": "11.4", "cuda": "11.4"}`, 1, 18, "cuda", "given twice"},
		{"unknown in a GPU", `{"gpus": [{"preset": "t4", "colour": 1}]}`, 1, 38, "gpus[0].colour", "unknown field"},
		{"no preset", `{"gpus": [{"preset": "rtx"}]}`, 1, 22, "gpus[0].preset", `no preset "rtx"; there are a100`},
		{"bare GPU", `{"gpus": [{}]}`, 1, 11, "gpus[0]", `no "name"`},
		{"size as a number", `{"gpus": [{"preset": "t4", "memory": 4}]}`, 1, 38, "gpus[0].memory", "want a string"},
		{"size without unit", `{"gpus": [{"preset": "t4", "memory": "4"}]}`, 1, 38, "gpus[0].memory", `want one such as "1670MiB", have "4"`},
		{"decimal size", `{"gpus": [{"preset": "t4", "memory": "4GB"}]}`, 1, 38, "gpus[0].memory", `have "4GB"`},
		{"negative size", `{"gpus": [{"preset": "t4", "used": "-4GiB"}]}`, 1, 36, "gpus[0].used", `have "-4GiB"`},
		{"no memory", `{"gpus": [{"preset": "t4", "memory": "0MiB"}]}`, 1, 38, "gpus[0].memory", "more than nothing"},
		{"too much memory", `{"gpus": [{"preset": "t4", "memory": "5TiB"}]}`, 1, 11, "gpus[0]", "at most 4 TiB"},
		{"more used than there is", `{"gpus": [{"preset": "t4", "used": "16GiB"}]}`, 1, 11, "gpus[0]", "used of"},
		{"fraction", `{"gpus": [{"preset": "t4", "fan": 1.5}]}`, 1, 35, "gpus[0].fan", "whole number from 0 to 100, have 1.5"},
		{"out of range", `{"gpus": [{"preset": "t4", "fan": 101}]}`, 1, 35, "gpus[0].fan", "have 101"},
		{"bus", `{"gpus": [{"preset": "t4", "bus": "1:0"}]}`, 1, 35, "gpus[0].bus", `have "1:0"`},
		{"uuid", `{"gpus": [{"preset": "t4", "uuid": "GPU-1"}]}`, 1, 36, "gpus[0].uuid", `have "GPU-1"`},
		{"one place", `{"gpus": [{"preset": "t4", "bus": "00000000:01:00.0"}, {"preset": "t4", "bus": "00000000:01:00.0"}]}`,
			1, 56, "gpus[1]", "is where gpus[0] is"},
		{"process type", `{"gpus": [{"preset": "t4", "processes": [{"pid": 1, "name": "x", "type": "D"}]}]}`,
			1, 74, "gpus[0].processes[0].type", "want one of C, G, C+G"},
		{"nameless process", `{"gpus": [{"preset": "t4", "processes": [{"pid": 1}]}]}`, 1, 42, "gpus[0].processes[0]", "a pid and a name"},
		{"peers of others", `{"gpus": [{"preset": "t4"}], "peers": [[false], [false]]}`, 1, 39, "peers", "2 rows for 1 GPUs"},
		{"its own peer", `{"gpus": [{"preset": "t4"}], "peers": [[true]]}`, 1, 41, "peers[0][0]", "not its own peer"},
		{"state", `{"gpus": [{"preset": "t4", "performance": "P16"}]}`, 1, 43, "gpus[0].performance", `have "P16"`},
		{"serial", `{"gpus": [{"preset": "t4", "serial": "one"}]}`, 1, 38, "gpus[0].serial", `have "one"`},
		{"ecc", `{"gpus": [{"preset": "t4", "ecc": "on"}]}`, 1, 35, "gpus[0].ecc", "want true or false"},
		{"lost", `{"gpus": [{"preset": "t4", "lost": 1}]}`, 1, 36, "gpus[0].lost", "want true or false"},
		{"errors that nobody finds", `{"gpus": [{"preset": "gtx1050", "eccCorrected": 1}]}`, 1, 11, "gpus[0]", `no "ecc"`},
		{"fans without speed", `{"gpus": [{"preset": "gtx1050", "fans": 1}]}`, 1, 11, "gpus[0]", `no "fan"`},
		{"more reserved than there is", `{"gpus": [{"preset": "t4", "used": "15GiB", "reserved": "1MiB"}]}`, 1, 11, "gpus[0]", "reserved of"},
		{"compute mode", `{"gpus": [{"preset": "t4", "computeMode": "Mine"}]}`, 1, 43, "gpus[0].computeMode", "want one of Default"},
		{"library", `{"library": 470}`, 1, 13, "library", "want a string"},
		{"loaded", `{"loaded": "no"}`, 1, 12, "loaded", "want true or false"},
		{"deep", strings.Repeat("[", 100000), 1, 18, strings.Repeat("[0]", 17), "too deep"},
		{"line breaks", "{\"gpus\": [\n{\"preset\": \"t4\",\n\n   \"memory\": true}]}", 4, 14, "gpus[0].memory", "have true or false"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Read("gpus.json", []byte(tc.text))
			var refused *FileError
			if !errors.As(err, &refused) {
				t.Fatalf("got %v, want a FileError", err)
			}
			if refused.Line != tc.line || refused.Column != tc.column || refused.Field != tc.field || !strings.Contains(refused.Text, tc.part) {
				t.Errorf("got %v, want %d:%d, field %q and %q", err, tc.line, tc.column, tc.field, tc.part)
			}
			if prefix := fmt.Sprintf("gpus.json:%d:%d: ", tc.line, tc.column); !strings.HasPrefix(err.Error(), prefix) {
				t.Errorf("got %q, want it to start with %q", err, prefix)
			}
		})
	}
}

func TestReadTooManyGPUs(t *testing.T) {
	text := `{"gpus": [` + strings.Repeat(`{"preset": "t4"},`, MaxGPUs) + `{"preset": "t4"}]}`
	if _, err := Read("many.json", []byte(text)); err == nil || !strings.Contains(err.Error(), "at most 16") {
		t.Errorf("got %v", err)
	}
}

func TestPresets(t *testing.T) {
	want := map[string]struct{ driver, capability string }{
		"gtx1050": {"470.256.02", "6.1"}, "gtx1070": {"470.256.02", "6.1"}, "t4": {"550.127.05", "7.5"},
		"a100": {"550.127.05", "8.0"}, "h100": {"550.127.05", "9.0"}, "h200": {"580.126.09", "9.0"},
		"rtx4090": {"550.127.05", "8.9"}, "rtx5090": {"580.126.09", "12.0"}, "v100": {"550.127.05", "7.0"}, "b200": {"580.126.09", "10.0"},
	}
	if got := Presets(); len(got) != len(want) {
		t.Errorf("got %v", got)
	}
	for name, w := range want {
		m, err := Preset(name, 2)
		if err != nil {
			t.Error(err)
			continue
		}
		g := m.GPUs[0]
		if got := fmt.Sprintf("%d.%d", g.Major, g.Minor); m.Driver != w.driver || got != w.capability {
			t.Errorf("%s: got %s, %s, want %v", name, m.Driver, got, w)
		}
		if !uuidForm.MatchString(g.UUID) || g.UUID == m.GPUs[1].UUID || g.Bus == m.GPUs[1].Bus {
			t.Errorf("%s: its GPUs are not told apart: %s %s", name, g.UUID, m.GPUs[1].UUID)
		}
		if m.CanAccess(0, 1) != (g.PeerLink > 0) {
			t.Errorf("%s: peers %v with a link of %d", name, m.Peers, g.PeerLink)
		}
	}
}

func TestPeerRate(t *testing.T) {
	linked, err := Preset("a100", 2)
	if err != nil {
		t.Fatal(err)
	}
	apart, err := Preset("gtx1070", 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := linked.PeerRate(0, 1); got != 300e9 {
		t.Errorf("linked: got %d", got)
	}
	if got := apart.PeerRate(0, 1); got != 12e9 {
		t.Errorf("apart: got %d", got)
	}
}

func TestChoose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.json")
	if err := os.WriteFile(path, []byte(full), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		value string
		gpus  int
		name  string
	}{
		{"2", 2, "NVIDIA A100-SXM4-40GB"},
		{"0", 0, ""},
		{"gtx1050", 1, "NVIDIA GeForce GTX 1050"},
		{"h200:4", 4, "NVIDIA H200"},
		{path, 2, "NVIDIA GeForce GTX 1050"},
	} {
		m, err := Choose(tc.value)
		if err != nil {
			t.Errorf("%s: %v", tc.value, err)
			continue
		}
		if len(m.GPUs) != tc.gpus || tc.gpus > 0 && m.GPUs[0].Name != tc.name {
			t.Errorf("%s: got %d GPUs %+v", tc.value, len(m.GPUs), m.GPUs)
		}
		if !strings.Contains(m.Source, tc.value) {
			t.Errorf("%s: its source is %q", tc.value, m.Source)
		}
	}
	for value, part := range map[string]string{
		"":                "want a number of GPUs, a preset (a100, b200, gtx1050, gtx1070, h100, h200, rtx4090, rtx5090, t4, v100)",
		"-1":              "-1 GPUs: want from 0 to 16",
		"17":              "17 GPUs",
		"rtx":             "want a number of GPUs, a preset",
		"h200:":           `after the colon, have ""`,
		"h200:x":          `after the colon, have "x"`,
		"./nothing.json":  "nothing.json",
		"2.5":             "2.5",
		"h200:4:5":        `have "4:5"`,
		"two":             "CRESSET_SIM=two: ",
		"nothing/at/all/": "nothing/at/all",
	} {
		if _, err := Choose(value); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: got %v, want %q", value, err, part)
		}
	}
}

func TestQuantities(t *testing.T) {
	for _, tc := range []struct {
		u    unit
		text string
		want uint64
		ok   bool
	}{
		{size, "1670MiB", 1670 << 20, true},
		{size, "1.5KiB", 1536, true},
		{size, "0B", 0, true},
		{size, "0.3B", 0, false},
		{size, "1e3B", 0, false},
		{size, "0x10B", 0, false},
		{size, "NaNB", 0, false},
		{size, "1 GiB", 0, false},
		{size, "GiB", 0, false},
		{size, "99999999999TiB", 0, false},
		{rate, "112.1GB/s", 112100000000, true},
		{frequency, "1455MHz", 1455000000, true},
		{work, "931.2G/s", 931200000000, true},
	} {
		if got, ok := tc.u.parse(tc.text); ok != tc.ok || ok && got != tc.want {
			t.Errorf("%s: got %d, %v, want %d, %v", tc.text, got, ok, tc.want, tc.ok)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte(`{"gpus": [{"preset": "t4", "memory": "1.5GiB"}], "peers": [[false]]}`))
	f.Add([]byte(`{"driver": "418.67", "cuda": "10.1", "gpus": [{"preset": "gtx1050"}]}`))
	f.Add([]byte("[[[[{\"a\": null}, -1e9, \"\\u0000\"]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read("fuzz.json", data)
		var refused *FileError
		switch {
		case err == nil:
			for i := range m.GPUs {
				if g := m.GPUs[i]; g.Memory == 0 || g.Used > g.Memory || !busForm.MatchString(g.Bus) || !uuidForm.MatchString(g.UUID) {
					t.Errorf("accepted %+v", g)
				}
				for j := range m.GPUs {
					m.CanAccess(i, j)
				}
			}
		case !errors.As(err, &refused) || refused.Line < 1 || refused.Column < 1:
			t.Errorf("got %v, want a FileError with its place", err)
		}
	})
}

func TestInstances(t *testing.T) {
	m, err := Read("test.json", []byte(`{"gpus": [{"preset": "a100", "mig": true, "instances": [
		{"profile": "3g.20gb", "memory": "20096MiB", "multiprocessors": 42},
		{"profile": "1g.5gb", "memory": "4864MiB", "multiprocessors": 14, "gpuInstance": 13, "uuid": "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	g := &m.GPUs[0]
	first, second := g.Instances[0], g.Instances[1]
	if first.GPUInstance != 1 || first.Slices() != 3 || !instanceForm.MatchString(first.UUID) || second.UUID != "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f" {
		t.Errorf("got %+v", g.Instances)
	}
	part := g.Part(first)
	if part.Name != "NVIDIA A100-SXM4-40GB MIG 3g.20gb" || part.Memory != 20096<<20 || part.BAR1 != 32767<<20 || part.Bandwidth != g.Bandwidth/2 || part.Instances != nil {
		t.Errorf("got %+v", part)
	}
	for text, want := range map[string]string{
		`{"preset": "a100", "instances": [{"profile": "1g.5gb", "memory": "1GiB", "multiprocessors": 14}]}`:                `"mig": true`,
		`{"preset": "a100", "mig": true, "instances": [{"profile": "1g.5gb"}]}`:                                            "needs a profile, memory",
		`{"preset": "a100", "mig": true, "instances": [{"profile": "9g.5gb"}]}`:                                            `"1g.5gb"`,
		`{"preset": "a100", "mig": true, "instances": [{"profile": "7g.40gb", "memory": "41GiB", "multiprocessors": 14}]}`: "of memory",
		`{"preset": "a100", "mig": true, "instances": [{"profile": "1g.5gb", "memory": "1GiB", "multiprocessors": 14, "gpuInstance": 1},
			{"profile": "1g.5gb", "memory": "1GiB", "multiprocessors": 14, "gpuInstance": 1}]}`: "same numbers",
	} {
		if _, err := Read("test.json", []byte(`{"gpus": [`+text+`]}`)); err == nil || !strings.Contains(err.Error(), want) && want != "of memory" {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
