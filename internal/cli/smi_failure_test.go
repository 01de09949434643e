package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cresset/smi"
)

// TestSMIFailures has nvidia-smi's texts and codes, in captures that are published on GitHub and in NVIDIA's manual page.
func TestSMIFailures(t *testing.T) {
	for _, tc := range []struct {
		reason error
		code   int
		want   string
	}{
		{smi.ErrNoLibrary, 12, "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. " +
			"Please make sure that the NVIDIA Display Driver is properly installed and present in your system.\n" +
			"Please also try adding directory that contains libnvidia-ml.so to your system PATH."},
		{smi.ErrNoDriver, 9, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. " +
			"Make sure that the latest NVIDIA driver is installed and running.\n"},
		{smi.ErrMismatch, 18, "Failed to initialize NVML: Driver/library version mismatch"},
		{smi.ErrTooOld, 13, "Failed to initialize NVML: Function Not Found"},
		{smi.ErrNoGPU, 6, "No devices were found"},
		{smi.ErrLost, 15, "Unable to determine the device handle: GPU is lost.  Reboot the system to recover this GPU"},
		{smi.ErrNoPermission, 4, "Insufficient Permissions"},
	} {
		var stderr bytes.Buffer
		s := &session{ctx: context.Background(), stderr: &stderr}
		err := (&smiCommand{}).failure(s, fmt.Errorf("asked: %w", tc.reason))
		var failure *smiFailure
		if !errors.As(err, &failure) || failure.code != tc.code || failure.text != tc.want {
			t.Errorf("%v: got %#v", tc.reason, err)
		}
		if !strings.Contains(stderr.String(), tc.reason.Error()) {
			t.Errorf("%v: stderr has %q", tc.reason, stderr.String())
		}
	}
	s := &session{ctx: context.Background(), stderr: &bytes.Buffer{}}
	if err := (&smiCommand{}).failure(s, errors.New("strange")); err != exitCode(255) {
		t.Errorf("anything else: got %v", err)
	}
}
