package cli

import (
	"context"
	"io"
	"testing"
	"time"

	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

// TestWaitLastsItsTime: who waits for GPUs looks once more when the time is over.
func TestWaitLastsItsTime(t *testing.T) {
	t.Setenv(hardware.Variable, "2")
	t.Setenv(tenants.Variable, "off")
	const wait = 150 * time.Millisecond
	start := time.Now()
	code := Run(context.Background(), []string{"pick", "-n", "3", "--wait", wait.String()}, io.Discard, io.Discard)
	if took := time.Since(start); code != exitTooFew || took < wait {
		t.Errorf("got code %d after %v", code, took)
	}
}

func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{"a: b": "a: b", "found no NVML:\nopen x": "found no NVML", "": ""} {
		if got := firstLine(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
