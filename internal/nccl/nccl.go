// Package nccl exchanges memory between GPUs by NCCL, NVIDIA's library of collective operations, where it is installed: 2.18 or newer.
// Constants and structs are those of the library's nccl.h.
package nccl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"runtime"

	"cresset/internal/dl"
)

// Result is what functions of the library return.
type Result int32

// The results that mean no failure.
const (
	Success    Result = 0
	InProgress Result = 7 // of a communicator that does not block: its last call has not ended
)

var results = map[Result]string{
	1: "ncclUnhandledCudaError", 2: "ncclSystemError", 3: "ncclInternalError", 4: "ncclInvalidArgument", 5: "ncclInvalidUsage", 6: "ncclRemoteError",
	7: "ncclInProgress",
}

// Error returns the library's name of the result.
func (r Result) Error() string {
	if name, ok := results[r]; ok {
		return name
	}
	return fmt.Sprintf("NCCL's result %d", int32(r))
}

// API is the library: functions of integers and addresses.
type API struct {
	Library   string // where it was found
	Version   Version
	Simulated bool // it computes on simulated GPUs

	GetVersion         func(args ...uintptr) Result `nccl:"ncclGetVersion"`
	GetUniqueID        func(args ...uintptr) Result `nccl:"ncclGetUniqueId"`
	CommInitRankConfig func(args ...uintptr) Result `nccl:"ncclCommInitRankConfig"` // the 128 bytes of the id by value: see byValue
	CommSplit          func(args ...uintptr) Result `nccl:"ncclCommSplit"`
	CommCount          func(args ...uintptr) Result `nccl:"ncclCommCount"`
	CommUserRank       func(args ...uintptr) Result `nccl:"ncclCommUserRank"`
	CommFinalize       func(args ...uintptr) Result `nccl:"ncclCommFinalize"`
	CommDestroy        func(args ...uintptr) Result `nccl:"ncclCommDestroy"`
	CommAbort          func(args ...uintptr) Result `nccl:"ncclCommAbort"`
	CommGetAsyncError  func(args ...uintptr) Result `nccl:"ncclCommGetAsyncError"`
	AllReduce          func(args ...uintptr) Result `nccl:"ncclAllReduce"`
	Reduce             func(args ...uintptr) Result `nccl:"ncclReduce"`
	Broadcast          func(args ...uintptr) Result `nccl:"ncclBroadcast"`
	AllGather          func(args ...uintptr) Result `nccl:"ncclAllGather"`
	ReduceScatter      func(args ...uintptr) Result `nccl:"ncclReduceScatter"`
	Send               func(args ...uintptr) Result `nccl:"ncclSend"`
	Receive            func(args ...uintptr) Result `nccl:"ncclRecv"`
	GroupStart         func(args ...uintptr) Result `nccl:"ncclGroupStart"`
	GroupEnd           func(args ...uintptr) Result `nccl:"ncclGroupEnd"`
}

// Version is the library's number of a version: 22304 of 2.23.4.
type Version int32

// oldest is the first version that splits communicators.
const oldest Version = 21800

// String returns "2.23.4".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100) }

// Candidates returns where the library can be.
func Candidates() []string {
	return []string{"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"}
}

// Load opens the machine's library.
func Load() (*API, error) { return LoadFrom(Candidates()...) }

// LoadFrom is Load from the first of the given paths that can be opened.
func LoadFrom(paths ...string) (*API, error) {
	l, err := dl.Open(paths...)
	if err != nil {
		return nil, fmt.Errorf("found no NCCL:\n%w", err)
	}
	api := &API{Library: l.Path}
	err = dl.Table{Struct: api, Key: "nccl"}.Each(func(symbols []string, _ bool, field reflect.Value) error {
		fn, ok := l.Symbol(symbols[0])
		if !ok {
			return fmt.Errorf("%s has no %s: NCCL %s or newer is needed", l.Path, symbols[0], oldest)
		}
		field.Set(reflect.ValueOf(func(args ...uintptr) Result { return Result(dl.Call(fn, args...)) }))
		return nil
	})
	if err == nil {
		err = api.readVersion()
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return api, nil
}

func (a *API) readVersion() error {
	out := dl.NewMemory(4)
	defer out.Free()
	if r := a.GetVersion(out.Address(0)); r != Success {
		return fmt.Errorf("ncclGetVersion: %w", r)
	}
	a.Version = Version(binary.LittleEndian.Uint32(out.Bytes))
	if a.Version < oldest {
		return fmt.Errorf("%s is NCCL %s, and %s or newer is needed", a.Library, a.Version, oldest)
	}
	return nil
}

// ID is what ranks have to share to meet.
type ID [128]byte

// NewID returns an ID, behind which one rank waits for the others. Where NCCL_COMM_ID names an address it is the same in all processes.
func (a *API) NewID() (id ID, err error) {
	out := dl.NewMemory(len(id))
	defer out.Free()
	if r := a.GetUniqueID(out.Address(0)); r != Success {
		return id, fmt.Errorf("ncclGetUniqueId: %w", r)
	}
	copy(id[:], out.Bytes)
	return id, nil
}

var errProcessor = errors.New("NCCL is called on amd64 and arm64 alone")

// byValue returns the arguments of ncclCommInitRankConfig(comm, ranks, id, rank, config). A struct of 128 bytes lies on amd64 behind the arguments that
// have registers, of which there are six; on arm64 a register holds the address of a copy.
func byValue(comm uintptr, ranks int, id *dl.Memory, rank int, config uintptr) ([]uintptr, error) {
	switch runtime.GOARCH {
	case "amd64":
		args := []uintptr{comm, uintptr(ranks), uintptr(rank), config, 0, 0}
		for i := 0; i < len(id.Bytes); i += 8 {
			args = append(args, uintptr(binary.LittleEndian.Uint64(id.Bytes[i:])))
		}
		return args, nil
	case "arm64":
		return []uintptr{comm, uintptr(ranks), id.Address(0), uintptr(rank), config}, nil
	}
	return nil, errProcessor
}
