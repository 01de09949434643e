package dist

import (
	"fmt"
	"strconv"
)

// A launch is what the environment says of the ranks that were started.
type launch struct {
	by   string // the variable that tells
	size int    // 0 where nothing tells
	mpi  bool
}

// A launcher sets variables that tell a process the number of ranks and its own.
type launcher struct {
	size, rank string
	names      string // which launchers do that
	mpi        bool
}

// complete reports whether the number of ranks is there beside what makes it mean that.
func (l launcher) complete(getenv func(string) string) bool {
	elastic := l.rank == "RANK" && getenv("TORCHELASTIC_RUN_ID") != ""
	return getenv(l.size) != "" && (getenv(l.rank) != "" || elastic)
}

var (
	elastic   = launcher{"WORLD_SIZE", "RANK", "launchers like torchrun", false}
	slurm     = launcher{"SLURM_NTASKS", "SLURM_PROCID", "Slurm's launchers", true}
	kubeflow  = launcher{"PET_NNODES", "PET_NODE_RANK", "Kubeflow's launchers", false} // for torchrun; each node has PET_NPROC_PER_NODE
	launchers = []launcher{
		{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's launchers", true},
		{"PMI_SIZE", "PMI_RANK", "MPICH's launchers and Slurm's", true},
		slurm,
		elastic, // others that set torchrun's variables
		kubeflow,
	}
)

func launchOf(getenv func(string) string) (launch, error) {
	if getenv("TORCHELASTIC_RUN_ID") != "" && elastic.complete(getenv) { // torchrun and cresset launch, which others may have started on each machine
		return elastic.launch(getenv)
	}
	for _, l := range launchers {
		if l.complete(getenv) {
			return l.launch(getenv)
		}
	}
	for _, l := range launchers {
		if err := l.half(getenv); err != nil {
			return launch{}, err
		}
	}
	here, _ := strconv.Atoi(getenv("LOCAL_WORLD_SIZE"))
	before, _ := strconv.Atoi(getenv("LOCAL_RANK"))
	each, _ := strconv.Atoi(getenv("PET_NPROC_PER_NODE"))
	switch set := "%s=%d is set and %s and %s are not: %s set all of them"; {
	case here > 1:
		return launch{}, fmt.Errorf(set, "LOCAL_WORLD_SIZE", here, elastic.rank, elastic.size, elastic.names)
	case before > 0:
		return launch{}, fmt.Errorf(set, "LOCAL_RANK", before, elastic.rank, elastic.size, elastic.names)
	case each > 1 && getenv(kubeflow.size) == "":
		return launch{}, fmt.Errorf(set, "PET_NPROC_PER_NODE", each, kubeflow.rank, kubeflow.size, kubeflow.names)
	}
	return launch{}, nil
}

// launch reads both variables.
func (l launcher) launch(getenv func(string) string) (launch, error) {
	size, rank := getenv(l.size), getenv(l.rank)
	n, err := strconv.Atoi(size)
	if err != nil || n < 1 {
		return launch{}, fmt.Errorf("%s=%s is no number of ranks", l.size, size)
	}
	if rank == "" {
		return launch{}, fmt.Errorf("%s=%s is set and %s is not: %s set both", l.size, size, l.rank, l.names)
	}
	if r, err := strconv.Atoi(rank); l != slurm && (err != nil || r < 0 || r >= n) {
		return launch{}, fmt.Errorf("%s=%s is no rank from 0 to %d, as %s=%d means", l.rank, rank, n-1, l.size, n)
	}
	if each, err := strconv.Atoi(getenv("PET_NPROC_PER_NODE")); err == nil && l.size == "PET_NNODES" {
		n *= each
	}
	return launch{l.size, n, l.mpi && (n > 1 || l != slurm)}, nil
}

// half returns an error where one of both variables says that there are other ranks, and the other one lacks. Slurm's number of ranks alone is what it has set aside for them.
func (l launcher) half(getenv func(string) string) error {
	size, rank := getenv(l.size), getenv(l.rank)
	ranks, _ := strconv.Atoi(size)
	before, _ := strconv.Atoi(rank)
	switch set := "%s=%s is set and %s is not: %s set both"; {
	case size != "" && (ranks > 1 || l == elastic) && l != slurm:
		return fmt.Errorf(set, l.size, size, l.rank, l.names)
	case rank != "" && (before > 0 || l == elastic):
		return fmt.Errorf(set, l.rank, rank, l.size, l.names)
	}
	return nil
}
