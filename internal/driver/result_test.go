package driver

import (
	"errors"
	"strings"
	"testing"
)

func TestResult(t *testing.T) {
	for _, tc := range []struct {
		r    Result
		text string
	}{
		{ErrInvalidDevice, "CUDA_ERROR_INVALID_DEVICE: invalid device ordinal"},
		{ErrAssert, "CUDA_ERROR_ASSERT: device-side assert triggered"},
		{12345, "CUDA_ERROR_12345: unrecognized error code"},
	} {
		if tc.r.Error() != tc.text {
			t.Errorf("%d: got %q, want %q", tc.r, tc.r, tc.text)
		}
		err := tc.r.Err("cuDeviceGet")
		if !errors.Is(err, tc.r) || err.Error() != "cuDeviceGet: "+tc.text {
			t.Errorf("%d: got %v", tc.r, err)
		}
	}
	if err := Success.Err("cuInit"); err != nil {
		t.Errorf("Success: got %v", err)
	}
	for r, known := range results {
		if r != Success && !strings.HasPrefix(known.name, "CUDA_ERROR_") || known.text == "" {
			t.Errorf("%d: got %q, %q", r, known.name, known.text)
		}
	}
}
