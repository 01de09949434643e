package cuda

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"cresset/internal/profile"
)

// ExportChromeTrace writes what was recorded to a file that ui.perfetto.dev and chrome://tracing show, with the fields of PyTorch's traces:
// a line for each goroutine of the host and for each stream of a GPU, and arrows from ops to their kernels.
func (p *Profile) ExportChromeTrace(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("cuda: write a trace: %w", err)
	}
	err = p.WriteChromeTrace(f)
	if closed := f.Close(); err == nil && closed != nil {
		err = fmt.Errorf("cuda: write a trace: %w", closed)
	}
	return err
}

// WriteChromeTrace writes what ExportChromeTrace does.
func (p *Profile) WriteChromeTrace(w io.Writer) error {
	events, dropped := p.events()
	out := bufio.NewWriter(w)
	t := &traceWriter{out: out, lines: json.NewEncoder(out), events: events, host: hostProcess(processID())}
	t.lines.SetEscapeHTML(false) // "Memcpy HtoD (Pinned -> Device)" as it is
	t.write(map[string]any{
		"schemaVersion": 1, "displayTimeUnit": "ms", "deviceProperties": traceDevices(events), "droppedEvents": dropped, "modelledClock": modelled(events),
	})
	if t.err == nil {
		t.err = t.out.Flush()
	}
	if t.err != nil {
		return fmt.Errorf("cuda: write a trace: %w", t.err)
	}
	return nil
}

// processID tells the process; tests replace it.
var processID = os.Getpid

// mostGPUs is more than a machine has. A trace names GPUs by their index, where others name processes.
const mostGPUs = 128

// hostProcess is what stands for the host in a trace: the process, unless its number could be a GPU's, as in containers.
func hostProcess(pid int) int {
	if pid < mostGPUs {
		return pid + mostGPUs
	}
	return pid
}

// traceWriter writes a trace, an event a line.
type traceWriter struct {
	out    *bufio.Writer
	lines  *json.Encoder // to out
	events []profile.Event
	host   int
	begun  bool
	err    error
}

// traceEvent is an event in the words of Chrome's trace format. Times are microseconds.
type traceEvent struct {
	Phase    string         `json:"ph"`
	Category string         `json:"cat,omitempty"`
	Name     string         `json:"name"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Start    json.Number    `json:"ts"`
	Took     json.Number    `json:"dur,omitempty"`
	ID       int            `json:"id,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Binding  string         `json:"bp,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// write writes the head of the trace and its events.
func (t *traceWriter) write(head map[string]any) {
	text, err := json.Marshal(head)
	if err != nil {
		t.err = err
		return
	}
	t.print(string(text[:len(text)-1]) + ",\"traceEvents\":[\n")
	t.names()
	for i := range t.events {
		t.event(i)
	}
	t.print("]}\n")
}

func (t *traceWriter) print(text string) {
	if t.err == nil {
		_, t.err = t.out.WriteString(text)
	}
}

func (t *traceWriter) put(e traceEvent) {
	if t.begun {
		t.print(",")
	}
	t.begun = true
	if t.err == nil {
		t.err = t.lines.Encode(e)
	}
}

// names names processes and threads, each once.
func (t *traceWriter) names() {
	type line struct{ process, thread int }
	seen := map[line]bool{}
	name := func(kind string, l line, args map[string]any) {
		t.put(traceEvent{Phase: "M", Name: kind, Process: l.process, Thread: l.thread, Start: "0", Args: args})
	}
	for i := range t.events {
		e := &t.events[i]
		l := line{t.host, e.Thread}
		label, thread := "CPU", fmt.Sprintf("goroutine %d", e.Thread)
		if !e.Kind.OnHost() && e.Kind != profile.Memory {
			l = line{e.Device, e.Stream}
			label, thread = fmt.Sprintf("GPU %d", e.Device), fmt.Sprintf("stream %d %s", e.Stream, streamNames[min(e.Stream, len(streamNames)-1)])
		}
		if process := (line{l.process, -1}); !seen[process] {
			seen[process] = true
			name("process_name", line{l.process, 0}, map[string]any{"name": processNames[label == "CPU"]})
			name("process_labels", line{l.process, 0}, map[string]any{"labels": label})
			name("process_sort_index", line{l.process, 0}, map[string]any{"sort_index": l.process})
		}
		if !seen[l] {
			seen[l] = true
			name("thread_name", l, map[string]any{"name": thread})
		}
	}
}

var processNames = map[bool]string{true: "host", false: "GPU"}

// streamNames are the streams of a device, in their order; the last is the name of those that the program makes.
var streamNames = [...]string{"computes", "copies in", "copies out", "exchanges with other GPUs", "of the program"}

// categories are the kinds of events in PyTorch's words.
var categories = map[profile.Kind]string{
	profile.Op: "cpu_op", profile.Gradient: "cpu_op", profile.Region: "user_annotation", profile.Step: "user_annotation", profile.Runtime: "cuda_runtime",
	profile.Kernel: "kernel", profile.Copy: "gpu_memcpy", profile.Memset: "gpu_memset", profile.Memory: "cpu_instant_event",
}

// event writes an event. What has no time, such as a frame that has not ended, is left out.
func (t *traceWriter) event(i int) {
	e := &t.events[i]
	if !e.Timed {
		return
	}
	out := traceEvent{
		Phase: "X", Category: categories[e.Kind], Name: e.Name, Process: t.host, Thread: e.Thread, Start: microseconds(e.Start), Took: microseconds(e.Took),
	}
	switch {
	case e.Kind.OnHost():
		out.Args = hostArgs(i, e)
	case e.Kind == profile.Memory:
		out.Phase, out.Scope, out.Took, out.Args = "i", "t", "", memoryArgs(e)
	default:
		out.Process, out.Thread, out.Args = e.Device, e.Stream, t.deviceArgs(i, e)
	}
	t.put(out)
	if out.Phase == "X" && !e.Kind.OnHost() && e.Parent != profile.NoParent {
		t.arrow(i, out)
	}
}

// arrow leads from an op to what it gave a GPU.
func (t *traceWriter) arrow(i int, to traceEvent) {
	from := &t.events[t.events[i].Parent]
	a := traceEvent{Phase: "s", Category: "ac2g", Name: "ac2g", ID: i + 1, Process: t.host, Thread: from.Thread, Start: microseconds(from.Start)}
	t.put(a)
	a.Phase, a.Binding, a.Process, a.Thread, a.Start = "f", "e", to.Process, to.Thread, to.Start
	t.put(a)
}

func hostArgs(i int, e *profile.Event) map[string]any {
	args := map[string]any{"External id": i + 1}
	if e.Site.Line != 0 {
		args["Go site"], args["Go function"] = e.Site.String(), e.Site.Function
	}
	if e.Inputs == nil {
		return args
	}
	dims, types := [][]int{}, []string{}
	for _, in := range e.Inputs {
		dims, types = append(dims, in.Shape), append(types, in.DType.Name())
	}
	args["Input Dims"], args["Input type"] = dims, types
	return args
}

func memoryArgs(e *profile.Event) map[string]any {
	return map[string]any{
		"Device Type": 1, "Device Id": e.Device, "Addr": e.Memory.Address, "Bytes": e.Bytes, "Total Allocated": e.Memory.Allocated, "Total Reserved": e.Memory.Reserved,
	}
}

func (t *traceWriter) deviceArgs(i int, e *profile.Event) map[string]any {
	args := map[string]any{"device": e.Device, "stream": e.Stream, "correlation": i + 1}
	if e.Parent != profile.NoParent {
		op := &t.events[e.Parent]
		args["External id"], args["op"] = e.Parent+1, op.Name
		if op.Site.Line != 0 {
			args["Go site"] = op.Site.String()
		}
	}
	switch {
	case e.Launch != nil:
		args["grid"], args["block"], args["shared memory"] = e.Launch.Grid, e.Launch.Block, e.Launch.Shared
	case e.Kind != profile.Kernel:
		args["bytes"] = e.Bytes
		if e.Took > 0 {
			args["memory bandwidth (GB/s)"] = json.Number(fmt.Sprintf("%.3f", float64(e.Bytes)/float64(e.Took)))
		}
	}
	return args
}

// traceDevices describes the GPUs of a trace.
func traceDevices(events []profile.Event) []map[string]any {
	seen := [mostGPUs]bool{}
	devices := []map[string]any{}
	for i := range events {
		e := &events[i]
		if e.Kind.OnHost() || seen[e.Device] {
			continue
		}
		seen[e.Device] = true
		if p, err := DeviceProperties(e.Device); err == nil {
			devices = append(devices, map[string]any{
				"id": e.Device, "name": p.Name, "totalGlobalMem": p.TotalMemory, "computeMajor": p.Major, "computeMinor": p.Minor, "numSms": p.Multiprocessors,
				"warpSize": p.WarpSize, "maxThreadsPerMultiprocessor": p.MaxThreadsPerSM, "sharedMemPerBlock": p.SharedPerBlock, "regsPerMultiprocessor": p.RegistersPerSM,
			})
		}
	}
	return devices
}

func microseconds(d time.Duration) json.Number {
	return json.Number(fmt.Sprintf("%.3f", float64(d)/1e3))
}
