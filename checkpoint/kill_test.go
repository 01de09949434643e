package checkpoint

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"cresset/device"
	"cresset/internal/hardware"
	"cresset/internal/race"
	"cresset/internal/tenants"
	"cresset/nn/parallel"
)

var kills = flag.Int("kills", 4, "how many times TestKilledTrainings kills a training of each kind")

// What a process that is to be killed finds in its environment.
const (
	killedKind   = "CRESSET_KILLED_KIND"
	killedFolder = "CRESSET_KILLED_FOLDER"
	killedAt     = "CRESSET_KILLED_AT" // the operation of the disk in which it ends itself; 0 for none
)

const killedSteps = 24

// TestKilledTrainings kills trainings by SIGKILL, again and again: at random moments, and in the middle of writing, syncing and
// renaming. What goes on in the end comes to the same bits as a training that ran through.
func TestKilledTrainings(t *testing.T) {
	if os.Getenv(killedKind) != "" {
		t.Skip("this is a process to be killed")
	}
	if runtime.GOOS == "windows" {
		t.Skip("a process there inherits no pipe by number")
	}
	for _, kind := range []string{"cpu", "gpu", "parallel"} {
		t.Run(kind, func(t *testing.T) {
			if race.Enabled && kind != "cpu" {
				t.Skip("snapshots are written by the same goroutines")
			}
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(len(kind))))
			want, ended := killedTraining(t, kind, t.TempDir(), 0, 0)
			if !ended {
				t.Fatal("nobody killed it, and it did not end")
			}
			folder, left := t.TempDir(), 0
			for done := 0; done < *kills; left-- {
				if left == 0 {
					folder, left = t.TempDir(), 1+random.IntN(10)
				}
				at, after := 1+random.IntN(60), time.Duration(0)
				if random.IntN(2) == 0 {
					at, after = 0, time.Duration(random.IntN(int(30*time.Millisecond)))
				}
				if left == 1 {
					at, after = 0, 0
				}
				got, ended := killedTraining(t, kind, folder, at, after)
				switch {
				case !ended:
					done++
				case got != want:
					t.Fatalf("after %d kills: got\n%s\nwant\n%s", done, got, want)
				default:
					left = 1 // the folder's training is done
				}
			}
			if got, _ := killedTraining(t, kind, folder, 0, 0); got != want {
				t.Fatalf("after %d kills: got\n%s\nwant\n%s", *kills, got, want)
			}
		})
	}
}

// killedTraining runs a training in a process of its own, from the folder's newest snapshot on. The process ends itself in an
// operation of its disk, or is killed some time after its first step. Otherwise it ends and tells its fingerprint.
func killedTraining(t *testing.T, kind, folder string, at int, after time.Duration) (fingerprint string, ended bool) {
	t.Helper()
	var out, diagnosis bytes.Buffer
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTrainingToBeKilled$")
	c.Env = append(os.Environ(), killedKind+"="+kind, killedFolder+"="+folder, killedAt+"="+strconv.Itoa(at),
		hardware.Variable+"=2", tenants.Variable+"=off")
	c.Stdout, c.Stderr = &out, &diagnosis
	started, inform, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer started.Close()
	c.ExtraFiles = []*os.File{inform}
	err = c.Start()
	inform.Close()
	if err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		started.Read(make([]byte, 1)) // the first step is done, or the process has ended
		time.Sleep(after)
		c.Process.Kill()
	}
	err = c.Wait()
	_, fingerprint, ended = strings.Cut(out.String(), "came to\n")
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() >= 0) {
		t.Fatalf("%s: %v\n%s%s", kind, err, &out, &diagnosis)
	}
	fingerprint, _, _ = strings.Cut(fingerprint, "\nend")
	return fingerprint, ended && err == nil
}

// TestTrainingToBeKilled is the process that TestKilledTrainings kills.
func TestTrainingToBeKilled(t *testing.T) {
	kind := os.Getenv(killedKind)
	if kind == "" {
		t.Skip("only TestKilledTrainings calls it")
	}
	dev := device.CPU
	if kind != "cpu" {
		dev = device.CUDA(0)
	}
	p := newPracticeOn(1, dev)
	if kind == "parallel" {
		both, err := parallel.NewDataParallel(p.net, parallel.DeviceIDs(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		p.forward = both.Forward
	}
	at, err := strconv.Atoi(os.Getenv(killedAt))
	if err != nil {
		t.Fatal(err)
	}
	d := NewSnapshots(os.Getenv(killedFolder), Keep(2))
	d.disk = &killingDisk{left: at}
	r, err := d.Resume(p.snapshot())
	if err != nil || len(r.Skipped) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	inform := os.NewFile(3, "inform")
	p.train(t, killedSteps, func() {
		inform.Write([]byte{1})
		if err := d.SaveAsync(p.snapshot()); err != nil {
			t.Fatal(err)
		}
	})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("came to\n%s\nend\n", p.fingerprint())
}

// killingDisk ends the process at one of its operations, by the signal that no process survives.
type killingDisk struct {
	system
	left int // operations before that; none where it was 0 at first
}

func (d *killingDisk) step() bool {
	d.left--
	return d.left == 0
}

func die() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		p.Kill()
	}
	select {}
}

func (d *killingDisk) create(path string, mode os.FileMode) (diskFile, error) {
	f, err := d.system.create(path, mode)
	if d.step() {
		die()
	}
	return &killingFile{f, d}, err
}

func (d *killingDisk) rename(from, to string) error {
	if d.step() {
		die()
	}
	err := d.system.rename(from, to)
	if d.step() {
		die()
	}
	return err
}

func (d *killingDisk) remove(path string) error {
	if d.step() {
		die()
	}
	return d.system.remove(path)
}

// killingFile is a file on a killingDisk.
type killingFile struct {
	diskFile
	on *killingDisk
}

func (f *killingFile) Write(p []byte) (int, error) {
	if f.on.step() {
		f.diskFile.Write(p[:len(p)/2])
		die()
	}
	return f.diskFile.Write(p)
}

func (f *killingFile) Sync() error {
	if f.on.step() {
		die()
	}
	return f.diskFile.Sync()
}
