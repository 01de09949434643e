package smi

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

// shared gives the test a simulated machine of three GPUs that other programs could share.
func shared(t *testing.T) []GPU {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(tenants.Variable, dir)
	t.Setenv(hardware.Variable, "a100:3")
	gpus, err := GPUs()
	if err != nil {
		t.Fatal(err)
	}
	return gpus
}

func reserveGPUs(t *testing.T, gpus []GPU, wish Wish) *Reservation {
	t.Helper()
	r, err := Reserve(t.Context(), gpus, wish)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Release() })
	return r
}

func TestReserve(t *testing.T) {
	gpus := shared(t)
	first := reserveGPUs(t, gpus, Wish{N: 2})
	if got := indexes(first.GPUs); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("got %v", got)
	}
	if want := gpus[0].UUID + "," + gpus[1].UUID; first.Visible() != want {
		t.Errorf("got %s, want %s", first.Visible(), want)
	}
	second := reserveGPUs(t, gpus, Wish{}) // of an inventory from before the first
	if got := indexes(second.GPUs); !slices.Equal(got, []int{2}) {
		t.Errorf("got %v", got)
	}
	var tooFew *PickError
	if r, err := Reserve(t.Context(), gpus, Wish{}); r != nil || !errors.As(err, &tooFew) || len(tooFew.Refused) != 3 {
		t.Errorf("got %v, %v", r, err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	third := reserveGPUs(t, []GPU{tooFew.Refused[0].GPU}, Wish{}) // what an old inventory says of reservations does not count
	if len(third.GPUs) != 1 || third.GPUs[0].ReservedBy != nil {
		t.Errorf("got %+v", third.GPUs)
	}
}

// TestPickAvoidsReserved: an inventory tells who has reserved GPUs, and Pick leaves those out.
func TestPickAvoidsReserved(t *testing.T) {
	r := reserveGPUs(t, shared(t), Wish{N: 2})
	inventory, err := Take()
	if err != nil || inventory.ReservedUnknown != nil {
		t.Fatal(err, inventory.ReservedUnknown)
	}
	gpus := inventory.GPUs
	if by := gpus[0].ReservedBy; by == nil || by.PID != os.Getpid() || !strings.HasPrefix(by.Name, "smi.test") {
		t.Errorf("got %v", by)
	}
	if gpus[2].ReservedBy != nil {
		t.Errorf("got %v", gpus[2].ReservedBy)
	}
	if picked, err := Pick(gpus, Wish{}); err != nil || picked[0].Index != 2 {
		t.Errorf("got %v, %v", indexes(picked), err)
	}
	gpus[0].ReservedBy.Name = "\x1b[31m"
	gpus[1].ReservedBy = &Holder{}
	_, err = Pick(gpus, Wish{N: 2})
	if err == nil || !strings.Contains(err.Error(), "GPU 0 reserved by ?[31m (pid ") || !strings.Contains(err.Error(), "GPU 1 reserved by another program") {
		t.Errorf("got %v", err)
	}
	if err := r.Release(); err != nil {
		t.Error(err)
	}
}

func TestPass(t *testing.T) {
	gpus := shared(t)
	t.Setenv("CUDA_VISIBLE_DEVICES", "2")
	r := reserveGPUs(t, gpus, Wish{})
	cmd := exec.Command("a-program")
	if err := r.Pass(cmd); err != nil {
		t.Fatal(err)
	}
	var set []string
	for _, v := range cmd.Environ() {
		if strings.HasPrefix(v, "CUDA_VISIBLE") || strings.HasPrefix(v, "CUDA_DEVICE") { // a toolkit's image sets others
			set = append(set, v)
		}
	}
	slices.Sort(set)
	if want := []string{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=" + gpus[0].UUID}; !slices.Equal(set, want) {
		t.Errorf("got %v, want %v", set, want)
	}
	inventory, err := Take()
	if err != nil || inventory.GPUs[0].ReservedBy == nil || inventory.GPUs[0].ReservedBy.Name != "a-program" {
		t.Errorf("got %v, %v", inventory.GPUs[0].ReservedBy, err)
	}
}

func TestReserveWithoutUUID(t *testing.T) {
	gpus := shared(t)[:1]
	gpus[0].UUID = ""
	if r, err := Reserve(context.Background(), gpus, Wish{}); r != nil || err == nil || !strings.Contains(err.Error(), "GPU 0 does not tell its UUID") {
		t.Errorf("got %v, %v", r, err)
	}
}
