// Package mpi passes messages between processes by an MPI library that is opened while the program runs, without cgo: Open MPI, the
// MPICH family, or one with the standard binary interface of MPI 5. One program runs under each of them. Constants are those of the libraries' mpi.h and of
// chapter 20 of the MPI 5.0 standard.
//
// Calls are made by whichever goroutine wants something, one at a time (MPI_THREAD_SERIALIZED), since handing a call to a thread of its own takes longer than a
// short message does. Memory of messages must neither move nor be freed until their Request is done.
package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"cresset/internal/dl"
)

// Status is what functions of the library return.
type Status int32

// success is MPI_SUCCESS.
const success Status = 0

// Error is a call that the library refused or could not end.
type Error struct {
	Call string
	Code Status
	Text string // the library's
}

// Error returns the call and the library's text.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Call, e.Text) }

// A function is one of C, of integers and addresses.
type function uintptr

func (f function) call(args ...uintptr) Status { return Status(dl.Call(uintptr(f), args...)) }

// api is the library's functions, of integers and addresses.
type api struct {
	GetLibraryVersion  function `mpi:"MPI_Get_library_version"`
	AbiGetVersion      function `mpi:"MPI_Abi_get_version,optional"`
	QueryCUDASupport   function `mpi:"MPIX_Query_cuda_support,optional"`
	GPUQuerySupport    function `mpi:"MPIX_GPU_query_support,optional"`
	InitThread         function `mpi:"MPI_Init_thread"`
	Finalize           function `mpi:"MPI_Finalize"`
	Abort              function `mpi:"MPI_Abort"`
	ErrorString        function `mpi:"MPI_Error_string"`
	GetProcessorName   function `mpi:"MPI_Get_processor_name"`
	CommRank           function `mpi:"MPI_Comm_rank"`
	CommSize           function `mpi:"MPI_Comm_size"`
	CommDup            function `mpi:"MPI_Comm_dup"`
	CommSplit          function `mpi:"MPI_Comm_split"`
	CommFree           function `mpi:"MPI_Comm_free"`
	CommSetErrhandler  function `mpi:"MPI_Comm_set_errhandler"`
	Test               function `mpi:"MPI_Test"`
	Cancel             function `mpi:"MPI_Cancel"`
	GetCount           function `mpi:"MPI_Get_count"`
	Isend              function `mpi:"MPI_Isend"`
	Irecv              function `mpi:"MPI_Irecv"`
	Ibarrier           function `mpi:"MPI_Ibarrier"`
	Iallreduce         function `mpi:"MPI_Iallreduce"`
	Ireduce            function `mpi:"MPI_Ireduce"`
	Ibcast             function `mpi:"MPI_Ibcast"`
	Iallgather         function `mpi:"MPI_Iallgather"`
	IreduceScatter     function `mpi:"MPI_Ireduce_scatter_block"`
	Ialltoall          function `mpi:"MPI_Ialltoall"`
	Igather            function `mpi:"MPI_Igather"`
	Iscatter           function `mpi:"MPI_Iscatter"`
	Allreduce          function `mpi:"MPI_Allreduce"`
	Reduce             function `mpi:"MPI_Reduce"`
	Bcast              function `mpi:"MPI_Bcast"`
	Allgather          function `mpi:"MPI_Allgather"`
	ReduceScatterBlock function `mpi:"MPI_Reduce_scatter_block"`
	Alltoall           function `mpi:"MPI_Alltoall"`
	Gather             function `mpi:"MPI_Gather"`
	Scatter            function `mpi:"MPI_Scatter"`
}

// library is an open MPI library.
type library struct {
	api
	handles
	path, version string
}

// load opens the first of the candidates that is an MPI library whose constants are known.
func load(candidates ...string) (*library, error) {
	l, err := dl.OpenGlobal(candidates...) // its plugins look for its symbols
	if err != nil {
		return nil, fmt.Errorf("found no MPI library:\n%w", err)
	}
	lib := &library{path: l.Path}
	err = dl.Table{Struct: &lib.api, Key: "mpi"}.Each(func(symbols []string, optional bool, field reflect.Value) error {
		fn, ok := l.Symbol(symbols[0])
		switch {
		case ok:
			field.SetUint(uint64(fn))
		case !optional:
			return fmt.Errorf("%s has no %s", l.Path, symbols[0])
		}
		return nil
	})
	if err == nil {
		lib.version = lib.libraryVersion()
		lib.handles, err = lib.handlesOf(l)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return lib, nil
}

// Probe opens an MPI library and returns its path and what it says of itself.
func Probe(candidate string) (path, version string, err error) {
	keepFromSignals()
	handlers := signalActions()
	defer handlers.restore()
	lib, err := load(candidate)
	if err != nil {
		return "", "", err
	}
	return lib.path, lib.version, nil // it stays open, since libraries keep threads
}

// maxText is room for any text of a library: MPICH tells its version in up to 8,192 bytes.
const maxText = 8192

func (l *library) libraryVersion() string {
	text := newText()
	l.GetLibraryVersion.call(text.call()...)
	line, _, _ := strings.Cut(text.String(), "\n")
	return strings.Join(strings.Fields(strings.Trim(line, "\x00")), " ") // MPICH has a tab behind its name
}

// err returns nil for success, else an error that says which call failed.
func (l *library) err(call string, s Status) error {
	if s == success {
		return nil
	}
	text := newText()
	found := l.ErrorString.call(append([]uintptr{uintptr(s)}, text.call()...)...) == success
	what := oneLine.Replace(strings.Trim(text.String(), "\n\x00"))
	if !found {
		what = fmt.Sprintf("error %d", s)
	}
	return &Error{call, s, what}
}

// oneLine makes one of MPICH's lines: what failed, and the calls that led there.
var oneLine = strings.NewReplacer(":\n", ": ", "\n", "; ")

// A text is where the library writes one, and an int32 before it that tells its length.
type text struct{ *dl.Memory }

func newText() text { return text{dl.NewMemory(textStart + maxText)} }

const textStart = 16

// call returns the arguments that stand for the text.
func (t text) call() []uintptr { return []uintptr{t.Address(textStart), t.Address(0)} }

// String returns the text, whose memory it frees.
func (t text) String() string {
	defer t.Free()
	n := int(int32(binary.NativeEndian.Uint32(t.Bytes)))
	return string(t.Bytes[textStart:][:min(max(n, 0), maxText)])
}
