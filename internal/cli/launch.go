package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"time"

	"cresset/cuda"
)

type launchCommand struct {
	Each       string        `name:"nproc-per-node" short:"n" default:"" placeholder:"N" help:"Ranks on this machine: a number, gpu for one on each GPU, cpu for one on each core, or auto; 1 unless given."`
	Nodes      *int          `name:"nnodes" placeholder:"N" help:"Machines of the job, on each of which the same command is launched; 1 unless given."`
	Node       *int          `name:"node-rank" placeholder:"R" help:"Which of them this one is, from 0."`
	MasterAddr *string       `placeholder:"ADDR" help:"Address of the first machine; 127.0.0.1 unless given."`
	MasterPort *int          `placeholder:"PORT" help:"A port that is free there; chosen on one machine, 29500 on several unless given."`
	Restarts   int           `default:"0" placeholder:"K" help:"Start all ranks again when one fails, up to K times. cresset train then goes on from the newest snapshot of --save."`
	Grace      time.Duration `default:"30s" placeholder:"TIME" help:"How long ranks have to end by themselves before they are killed."`
	Command    []string      `arg:"" passthrough:"" help:"The command and its arguments."`
}

// Help tells what the flags do not.
func (c *launchCommand) Help() string {
	return `Starts a command several times, each time as a rank of a job, as torchrun does:

  cresset launch -n 4 cresset train --distributed

It sets RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, GROUP_RANK, GROUP_WORLD_SIZE, MASTER_ADDR, MASTER_PORT and
TORCHELASTIC_RUN_ID, _RESTART_COUNT and _MAX_RESTARTS, and shares the cores among the ranks by GOMAXPROCS unless that is set. Flags that
are not given come from PET_NPROC_PER_NODE, PET_NNODES, PET_NODE_RANK, PET_MASTER_ADDR and PET_MASTER_PORT. Each line
that a rank prints begins with its number. When a rank fails, all others are ended, by SIGTERM first.

Programs of cresset find each other on one machine; on several machines mpirun and srun start them.

Exit codes: 0 all ranks have ended well; that of the rank that failed, or 128 + n where signal n has ended it; 1 the ranks cannot be
started, 2 wrong usage, 126 the command cannot be executed, 127 it is not found, 130 interrupted, 143 terminated.`
}

// Run starts the ranks and waits for them, again and again where --restarts asks for it.
func (c *launchCommand) Run(s *session) error {
	if _, err := exec.LookPath(c.Command[0]); err != nil {
		return s.cannotRun(err)
	}
	j, err := c.job(os.Getenv)
	if err != nil {
		return s.misused(err.Error(), usageHint("launch"))
	}
	for ; ; j.restarted++ {
		if err := j.settle(); err != nil {
			return err
		}
		failed, err := j.run(s)
		switch {
		case s.ctx.Err() != nil:
			return interrupted(s.ctx)
		case err != nil || failed == nil:
			return err
		case j.restarted == c.Restarts:
			fmt.Fprintf(s.stderr, "cresset: %v\n", failed)
			return exitCode(failed.code())
		}
		fmt.Fprintf(s.stderr, "cresset: %v; all ranks start again, %d of %d times\n", failed, j.restarted+1, c.Restarts)
	}
}

// A job is what the ranks of this machine are told.
type job struct {
	command   []string
	each      int // ranks on a machine
	nodes     int
	node      int
	addr      string
	port      int // 0: one that is free
	id        string
	restarts  int
	restarted int
	grace     time.Duration
	address   string // of MASTER_PORT, in this start
}

// job reads flags, and where they are not given the variables that Kubeflow's trainer sets for torchrun.
func (c *launchCommand) job(getenv func(string) string) (*job, error) {
	j := &job{command: c.Command, nodes: 1, addr: "127.0.0.1", restarts: c.Restarts, grace: c.Grace}
	var err error
	number := func(to *int, flag *int, name, variable string, least int) {
		text := getenv(variable)
		switch n, failed := strconv.Atoi(text); {
		case flag != nil:
			*to = *flag
		case text != "" && failed != nil:
			err = errors.Join(err, fmt.Errorf("%s=%s is no number", variable, text))
		case text != "":
			*to = n
		}
		if *to < least {
			err = errors.Join(err, fmt.Errorf("--%s must be at least %d, not %d", name, least, *to))
		}
	}
	number(&j.nodes, c.Nodes, "nnodes", "PET_NNODES", 1)
	number(&j.node, c.Node, "node-rank", "PET_NODE_RANK", 0)
	number(&j.port, c.MasterPort, "master-port", "PET_MASTER_PORT", 0)
	if addr := getenv("PET_MASTER_ADDR"); addr != "" {
		j.addr = addr
	}
	j.addr = or(c.MasterAddr, j.addr)
	if err == nil {
		j.each, err = ranksOf(c.Each, getenv("PET_NPROC_PER_NODE"))
	}
	switch {
	case err != nil:
		return nil, err
	case j.node >= j.nodes:
		return nil, fmt.Errorf("--node-rank %d is none of --nnodes %d machines", j.node, j.nodes)
	case j.nodes > 1 && j.addr == "127.0.0.1":
		return nil, errors.New("--nnodes wants a --master-addr of the first machine that others reach, which 127.0.0.1 is not")
	case j.nodes > 1 && c.Restarts > 0:
		return nil, errors.New("--restarts is for one machine: nobody would tell the others to start again")
	case j.port > 65535:
		return nil, fmt.Errorf("--master-port %d is no port: the last is 65535", j.port)
	case c.Grace < 0:
		return nil, fmt.Errorf("--grace must not be negative, not %v", c.Grace)
	case c.Restarts < 0:
		return nil, fmt.Errorf("--restarts must not be negative, not %d", c.Restarts)
	case j.nodes > 1 && j.port == 0:
		j.port = 29500
	}
	j.id = fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())
	return j, nil
}

// ranksOf returns how many ranks this machine gets.
func ranksOf(flag, variable string) (int, error) {
	if flag == "" {
		flag = variable
	}
	switch gpus := cuda.DeviceCount(); {
	case flag == "":
		return 1, nil
	case flag == "gpu" && gpus == 0:
		return 0, errors.New("--nproc-per-node gpu wants a GPU, and none is here")
	case flag == "gpu", flag == "auto" && gpus > 0:
		return gpus, nil
	case flag == "cpu", flag == "auto":
		return runtime.NumCPU(), nil
	}
	n, err := strconv.Atoi(flag)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--nproc-per-node must be a number of ranks, gpu, cpu or auto, not %s", flag)
	}
	return n, nil
}

// settle finds a port for a start.
func (j *job) settle() error {
	j.address = strconv.Itoa(j.port)
	if j.port != 0 {
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("no port is free: %w", err)
	}
	_, j.address, err = net.SplitHostPort(l.Addr().String())
	return errors.Join(err, l.Close())
}

// environ returns the variables of a rank of this machine.
func (j *job) environ(local int) []string {
	env := os.Environ()
	if _, set := os.LookupEnv("GOMAXPROCS"); !set {
		env = append(env, fmt.Sprintf("GOMAXPROCS=%d", max(1, runtime.NumCPU()/j.each)))
	}
	for _, v := range []struct {
		name  string
		value int
	}{
		{"RANK", j.node*j.each + local}, {"WORLD_SIZE", j.nodes * j.each}, {"LOCAL_RANK", local}, {"LOCAL_WORLD_SIZE", j.each}, {"GROUP_RANK", j.node},
		{"GROUP_WORLD_SIZE", j.nodes}, {"TORCHELASTIC_RESTART_COUNT", j.restarted}, {"TORCHELASTIC_MAX_RESTARTS", j.restarts},
	} {
		env = append(env, fmt.Sprintf("%s=%d", v.name, v.value))
	}
	return append(env, "MASTER_ADDR="+j.addr, "MASTER_PORT="+j.address, "TORCHELASTIC_RUN_ID="+j.id)
}

// failure is how a rank has ended that should not have.
type failure struct {
	rank  int
	state *os.ProcessState
}

// Error names the rank.
func (f *failure) Error() string { return fmt.Sprintf("rank %d has failed: %v", f.rank, f.state) }

// code returns what a shell makes of it.
func (f *failure) code() int {
	if n := signalOf(f.state); n > 0 {
		return 128 + n
	}
	return f.state.ExitCode()
}

// run starts the ranks and waits for their end. It returns the rank that failed first, nil where none has.
func (j *job) run(s *session) (*failure, error) {
	runtime.LockOSThread() // whose end would end the ranks, as that of the process does
	defer runtime.UnlockOSThread()
	out := newPrefixed(s)
	defer out.close()
	o := newOrder()
	defer o.close()
	ended := make(chan *failure)
	var ranks []*exec.Cmd
	var failed error
	for local := range j.each {
		cmd := exec.Command(j.command[0], j.command[1:]...)
		cmd.Env = j.environ(local)
		apart(cmd)
		if failed = out.start(cmd, j.node*j.each+local); failed != nil {
			failed = s.cannotRun(failed)
			break
		}
		ranks = append(ranks, cmd)
		o.watch(cmd.Process, j.node*j.each+local)
		go func() {
			_ = cmd.Wait() // what it says, the state says too
			ended <- &failure{j.node*j.each + local, cmd.ProcessState}
		}()
	}
	w := &watch{ranks: ranks, grace: j.grace, left: len(ranks), order: o, heard: make(map[int]*failure)}
	if failed != nil {
		w.end(os.Kill)
	}
	return w.wait(s.ctx, ended), failed
}

// A watch ends all ranks when one has failed, or when it is told to.
type watch struct {
	ranks []*exec.Cmd
	grace time.Duration
	left  int
	told  bool // to end,
	kill  <-chan time.Time
	force bool // and killed
	order *order
	queue []int            // ranks that have ended, in their order,
	heard map[int]*failure // and those of which a goroutine has told
}

func (w *watch) wait(ctx context.Context, ended <-chan *failure) (first *failure) {
	stop := ctx.Done()
	for w.left > 0 {
		select {
		case f := <-ended:
			for _, f := range w.inOrder(f) {
				w.left--
				bad := !f.state.Success()
				if bad && (first == nil || signalOf(first.state) == 0 && signalOf(f.state) > 0 && !w.hasEnded(f)) {
					first = f // a rank that was killed comes before those that say that they miss it
				}
				if bad {
					w.end(terminate)
				}
			}
		case <-stop:
			stop = nil
			sig := os.Interrupt
			if cause, ok := errors.AsType[signalled](context.Cause(ctx)); ok {
				sig = cause.Signal
			}
			w.end(sig)
		case <-w.kill:
			w.force = true
			for _, r := range w.ranks {
				tell(r.Process, os.Kill)
			}
		}
	}
	for _, r := range w.ranks {
		tell(r.Process, os.Kill) // what they have left behind
	}
	return first
}

// inOrder returns the ranks that have ended, when all that have done so before are heard of.
func (w *watch) inOrder(f *failure) (ready []*failure) {
	w.heard[f.rank] = f
	if w.queue = append(w.queue, w.order.next()...); !slices.Contains(w.queue, f.rank) {
		w.queue = append(w.queue, f.rank) // the system does not tell
	}
	for len(w.queue) > 0 && w.heard[w.queue[0]] != nil {
		ready, w.queue = append(ready, w.heard[w.queue[0]]), w.queue[1:]
	}
	return ready
}

// hasEnded reports whether this watch has ended a rank.
func (w *watch) hasEnded(f *failure) bool {
	n := signalOf(f.state)
	return w.told && n == numberOf(terminate) || w.force && n == numberOf(os.Kill)
}

// end asks all ranks to end, once, and has them killed where they do not.
func (w *watch) end(sig os.Signal) {
	if w.told {
		return
	}
	w.told, w.kill = true, time.After(w.grace)
	for _, r := range w.ranks {
		tell(r.Process, sig)
	}
}
