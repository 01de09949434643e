package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"cresset/cuda"
	"cresset/dist"
	"cresset/internal/mpi"
	"cresset/tensor"
)

// cluster is what doctor --dist finds: without ranks, what could carry messages, with them, how they do.
type cluster struct {
	Engine    string    `json:"engine,omitempty"`
	Launchers []string  `json:"launchers,omitempty"`
	Libraries []string  `json:"libraries,omitempty"`
	Ranks     []rankRow `json:"ranks,omitempty"`
	Pairs     []pairRow `json:"pairs,omitempty"`
	Warnings  []string  `json:"warnings,omitempty"`
}

// rankRow is what a rank tells of itself.
type rankRow struct {
	Host    string  `json:"host"`
	Local   int     `json:"local_rank"`
	PID     int     `json:"pid"`
	Cores   string  `json:"cores"` // that it may use: "0-3"
	Threads int     `json:"threads"`
	GPUs    int     `json:"gpus"`
	Version string  `json:"version"`
	Clock   float64 `json:"clock_ms"` // ahead of rank 0's
}

// pairRow is how messages go between two ranks.
type pairRow struct {
	From    int     `json:"from"`
	To      int     `json:"to"`
	Latency float64 `json:"latency_us"` // half of a round trip
	Rate    float64 `json:"mib_per_second"`
}

// cluster tells of a job's ranks, or of what could start one.
func (c *doctorCommand) cluster(s *session) error {
	if !isRank() {
		return c.tell(s, engines())
	}
	g, err := dist.Init(s.ctx, dist.Timeout(time.Minute))
	if err != nil {
		return withoutLibrary(err)
	}
	found := &cluster{Engine: g.Engine()}
	if err := found.measure(s.ctx, g); err != nil {
		return (&ranks{g}).end(s, err)
	}
	if g.Rank() == 0 {
		found.warn()
		err = c.tell(s, found)
	}
	return errors.Join(err, g.Close(s.ctx))
}

func (c *doctorCommand) tell(s *session, found *cluster) error {
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(found)
	}
	return found.print(s.stdout)
}

// engines looks for launchers and libraries of this machine.
func engines() *cluster {
	found := &cluster{}
	for _, name := range []string{"mpirun", "mpiexec", "srun", "torchrun"} {
		if path, err := exec.LookPath(name); err == nil {
			found.Launchers = append(found.Launchers, path)
		}
	}
	for _, name := range mpi.Candidates() {
		if path, version, err := mpi.Probe(name); err == nil {
			found.Libraries = append(found.Libraries, path+": "+version)
		}
	}
	if found.Libraries == nil {
		found.Warnings = append(found.Warnings, "no MPI library: ranks of one machine meet without, those of several need one, or NCCL")
	}
	return found
}

// measure fills in what all ranks tell, and how messages go between each two.
func (f *cluster) measure(ctx context.Context, g *dist.Group) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	mine, err := json.Marshal(rankRow{Host: host, Local: g.LocalRank(), PID: os.Getpid(), Cores: coresAllowed(), Threads: runtime.GOMAXPROCS(0), GPUs: cuda.DeviceCount(), Version: version})
	if err != nil {
		return err
	}
	all, err := g.AllGatherBytes(ctx, mine)
	if err != nil {
		return err
	}
	f.Ranks = make([]rankRow, len(all))
	for rank, text := range all {
		if err := json.Unmarshal(text, &f.Ranks[rank]); err != nil {
			return err
		}
	}
	for from := range g.Size() {
		for to := from + 1; to < g.Size(); to++ {
			row := pairRow{From: from, To: to}
			ahead := 0.0
			if g.Rank() == from || g.Rank() == to {
				if ahead, err = row.measure(ctx, g); err != nil {
					return err
				}
			}
			figures := tensor.FromSlice([]float64{row.Latency, row.Rate, ahead})
			if err := g.Broadcast(figures, from).Wait(ctx); err != nil { // the others are quiet until then
				return err
			}
			v := tensor.Values[float64](figures)
			row.Latency, row.Rate = v[0], v[1]
			if f.Pairs = append(f.Pairs, row); from == 0 {
				f.Ranks[to].Clock = v[2]
			}
		}
	}
	return nil
}

// measure sends messages to and fro, on both ranks of a pair, and returns by how many milliseconds the second's clock is ahead.
func (p *pairRow) measure(ctx context.Context, g *dist.Group) (ahead float64, err error) {
	const (
		rounds = 50
		large  = 4 << 20 // bytes
		times  = 4
	)
	stamp, bulk := tensor.FromSlice([]int64{0}), tensor.Zeros(large/4)
	trips, clocks := make([]float64, rounds), make([]float64, rounds)
	for i := range rounds {
		start := time.Now()
		if err := p.exchange(ctx, g, stamp); err != nil {
			return 0, err
		}
		trip := time.Since(start)
		trips[i] = float64(trip.Nanoseconds()) / 2e3
		clocks[i] = float64(tensor.Values[int64](stamp)[0]-start.Add(trip/2).UnixNano()) / 1e6
	}
	start := time.Now()
	for range times {
		if err := p.exchange(ctx, g, bulk); err != nil {
			return 0, err
		}
	}
	p.Latency, p.Rate = median(trips), 2*times*large/(1<<20)/time.Since(start).Seconds()
	return median(clocks), nil
}

// exchange sends a tensor from the first rank to the second and back; one of a number comes back with the second's time.
func (p *pairRow) exchange(ctx context.Context, g *dist.Group, x *tensor.Tensor) error {
	if g.Rank() == p.From {
		return errors.Join(g.Send(x, p.To, 0).Wait(ctx), g.Receive(x, p.To, 0).Wait(ctx))
	}
	err := g.Receive(x, p.From, 0).Wait(ctx)
	if x.NumEl() == 1 {
		x.FillInPlace(time.Now().UnixNano())
	}
	return errors.Join(err, g.Send(x, p.From, 0).Wait(ctx))
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// coresAllowed returns the list of cores that the system lets this process use; only Linux tells.
func coresAllowed() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	_, rest, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	list, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(list)
}

// online returns the list of this machine's cores.
func online() string {
	list, _ := os.ReadFile("/sys/devices/system/cpu/online") // where there is none, nothing is to be warned of
	return strings.TrimSpace(string(list))
}

// warn says what makes jobs slow or wrong.
func (f *cluster) warn() {
	const skew = 100 // milliseconds: of snapshots' times and logs
	for rank, r := range f.Ranks {
		if r.Version != f.Ranks[0].Version {
			f.Warnings = append(f.Warnings, fmt.Sprintf("rank %d is of cresset %s, rank 0 of %s", rank, r.Version, f.Ranks[0].Version))
		}
		if max(r.Clock, -r.Clock) > skew {
			f.Warnings = append(f.Warnings, fmt.Sprintf("rank %d's clock is %.0f ms ahead of rank 0's", rank, r.Clock))
		}
		if one := func(list string) bool { return !strings.ContainsAny(list, ",-") }; one(r.Cores) && !one(online()) && len(f.Ranks) > 1 {
			f.Warnings = append(f.Warnings, fmt.Sprintf("rank %d has core %s of %s alone: mpirun --bind-to none lets it use all", rank, r.Cores, r.Host))
		}
		for other, o := range f.Ranks[:rank] {
			if r.Host == o.Host && r.Cores == o.Cores && !strings.ContainsAny(r.Cores, ",-") {
				f.Warnings = append(f.Warnings, fmt.Sprintf("ranks %d and %d have core %s of %s both", other, rank, r.Cores, r.Host))
			}
		}
	}
}

func (f *cluster) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if f.Engine != "" {
		fmt.Fprintf(t, "engine  %s\n\nRANK\tHOST\tLOCAL\tPID\tCORES\tTHREADS\tGPUS\tVERSION\tCLOCK\n", f.Engine)
	}
	for rank, r := range f.Ranks {
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%s\t%d\t%d\t%s\t%+.3f ms\n", rank, r.Host, r.Local, r.PID, r.Cores, r.Threads, r.GPUs, r.Version, r.Clock)
	}
	if f.Pairs != nil {
		fmt.Fprint(t, "\nPAIR\tLATENCY\tBANDWIDTH\n")
	}
	for _, p := range f.Pairs {
		fmt.Fprintf(t, "%d-%d\t%.1f us\t%.0f MiB/s\n", p.From, p.To, p.Latency, p.Rate)
	}
	if err := t.Flush(); err != nil { // so that texts below do not widen the columns
		return err
	}
	for _, line := range f.Launchers {
		fmt.Fprintf(t, "launcher\t%s\n", line)
	}
	for _, line := range f.Libraries {
		fmt.Fprintf(t, "library\t%s\n", line)
	}
	for _, line := range f.Warnings {
		fmt.Fprintf(t, "warning\t%s\n", line)
	}
	return t.Flush()
}
