//go:build !nocuda

package nvml

import (
	"errors"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"cresset/internal/dl"
)

func TestLoadWithoutLibrary(t *testing.T) {
	paths := []string{"libnvidia-ml-absent.so.1", filepath.Join(t.TempDir(), "libnvidia-ml.so.1")}
	_, err := LoadFrom(paths...)
	var missing *LibraryError
	var opened *dl.OpenError
	if !errors.As(err, &missing) || !errors.As(err, &opened) || !strings.HasPrefix(err.Error(), "found no NVML:\n") {
		t.Fatalf("got %v, want a LibraryError with an OpenError", err)
	}
	for i, path := range paths {
		if opened.Tried[i].Path != path || !strings.Contains(err.Error(), "open "+path+": ") {
			t.Errorf("%q does not tell of %s", err, path)
		}
	}
}

func TestLoadTooOld(t *testing.T) {
	_, err := LoadFrom(compile(t, "-DINIT=0", "-DMISSING_REQUIRED"))
	var missing *SymbolError
	if !errors.As(err, &missing) || missing.Symbol != "nvmlDeviceGetHandleByIndex_v2" {
		t.Errorf("got %v, want a SymbolError", err)
	}
}

func TestStartFails(t *testing.T) {
	for define, want := range map[string]Return{"-DINIT=9": ErrDriverNotLoaded, "-DINIT=18": ErrVersionMismatch} {
		api, err := LoadFrom(compile(t, define))
		if err != nil {
			t.Fatal(err)
		}
		err = api.Start()
		if !errors.Is(err, want) || err.Error() != "Failed to initialize NVML: "+want.Text() {
			t.Errorf("%s: got %v, want %v", define, err, want)
		}
	}
}

func TestMissingFunctions(t *testing.T) {
	api := load(t)
	if got := api.Missing(); !slices.Contains(got, "nvmlDeviceGetBrand") || api.Brand != nil {
		t.Errorf("a symbol that the library lacks is not missing: %v", got)
	}
	api.Drop("nvmlDeviceGetCount_v2")
	var missing *SymbolError
	if err := api.Start(); !errors.As(err, &missing) || missing.Symbol != "nvmlDeviceGetCount_v2" {
		t.Errorf("got %v, want a SymbolError", err)
	}
}

// TestEveryFieldHasAnAdapter needs no library: it only looks for a panic.
func TestEveryFieldHasAnAdapter(t *testing.T) {
	err := new(API).table().Each(func(symbols []string, _ bool, field reflect.Value) error {
		adapt(field.Addr().Interface(), []symbol{{symbols[0], 1}})
		for _, s := range symbols {
			if !strings.HasPrefix(s, "nvml") {
				t.Errorf("%s is no name of NVML's", s)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestCandidates(t *testing.T) {
	if runtime.GOOS == "linux" && Candidates()[0] != "libnvidia-ml.so.1" {
		t.Errorf("got %v", Candidates())
	}
}

func TestReturns(t *testing.T) {
	if got := (&API{}).Err("nvmlDeviceGetName", ErrGPULost).Error(); got != "nvmlDeviceGetName: NVML_ERROR_GPU_IS_LOST: GPU is lost" {
		t.Errorf("got %q", got)
	}
	if err := (&API{}).Err("nvmlInit_v2", Success); err != nil {
		t.Errorf("got %v", err)
	}
	if got := Return(77).Error(); got != "NVML_ERROR_77: Unknown Error" {
		t.Errorf("got %q", got)
	}
	for r, want := range map[Return]bool{Success: false, ErrNotSupported: true, ErrFunctionNotFound: true, ErrGPULost: false, ErrUnknown: false} {
		if r.Absent() != want {
			t.Errorf("%v: absent is %v", r, !want)
		}
	}
}

// TestTexts: the library's own words come first, then those of driver 550.
func TestTexts(t *testing.T) {
	api := &API{ErrorString: func(r Return) string {
		if r == ErrGPULost {
			return "the bus is empty"
		}
		return "Unknown Error"
	}}
	for r, want := range map[Return]string{
		ErrGPULost: "the bus is empty", ErrOperatingSystem: "GPU access blocked by the operating system",
		ErrArgumentVersionMismatch: "Argument version mismatch", ErrDeprecated: "Requested functionality has been deprecated",
		ErrNotReady: "System is not in ready state", ErrGPUNotFound: "No supported GPUs were found",
		ErrInvalidState: "Resource not in correct state to perform requested operation", ErrUnknown: "Unknown Error",
	} {
		if got := api.Text(r); got != want {
			t.Errorf("%d: got %q, want %q", r, got, want)
		}
	}
}
