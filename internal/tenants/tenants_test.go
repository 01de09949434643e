package tenants

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// place is set in the process that neighbour starts.
const place = "CRESSET_TEST_PLACE"

func TestMain(m *testing.M) {
	if folder := os.Getenv(place); folder != "" {
		err := Join(folder).Publish([]Usage{{"GPU-1", 1 << 30, 25}})
		fmt.Println("published", err)
		bufio.NewReader(os.Stdin).ReadByte() // until the test ends it
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// neighbour starts a program that holds 1 GiB of GPU-1.
func neighbour(t *testing.T, folder string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), place+"="+folder)
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "published <nil>\n" {
		t.Fatalf("the other program: %q, %v", line, err)
	}
	return c
}

func files(t *testing.T, folder string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestPrograms(t *testing.T) {
	folder := t.TempDir()
	me := Join(folder)
	if err := me.Publish([]Usage{{"GPU-1", 5, 1}}); err != nil {
		t.Fatal(err)
	}
	c := neighbour(t, folder)
	others := me.Others(0)
	if len(others) != 1 || others[0].PID != c.Process.Pid || !reflect.DeepEqual(others[0].GPUs, []Usage{{"GPU-1", 1 << 30, 25}}) {
		t.Fatalf("got %+v", others)
	}
	if self, _ := os.Executable(); others[0].Name != self {
		t.Errorf("its name: got %q, want %q", others[0].Name, self)
	}
	if got := me.Held("GPU-1", 0); got != 1<<30 {
		t.Errorf("held: got %d", got)
	}
	if got := me.Held("GPU-2", 0); got != 0 {
		t.Errorf("held of another GPU: got %d", got)
	}
	if got := Join(folder).Held("GPU-1", 0); got != 1<<30+5 {
		t.Errorf("as a third sees it: got %d", got)
	}
	c.Process.Kill()
	c.Wait()
	if got := me.Held("GPU-1", time.Hour); got != 1<<30 {
		t.Errorf("as it was before: got %d", got)
	}
	if others := me.Others(0); len(others) != 0 {
		t.Errorf("after it has ended: got %+v", others)
	}
	if left := files(t, folder); len(left) != 1 {
		t.Errorf("it has left %v", left)
	}
	if err := me.Publish(nil); err != nil || len(files(t, folder)) != 0 {
		t.Errorf("withdrawn: got %v, left %v", err, files(t, folder))
	}
	if err := me.Publish(nil); err != nil {
		t.Errorf("withdrawn again: got %v", err)
	}
}

// TestZombies: a program that has ended counts for nothing even before its parent has looked.
func TestZombies(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only /proc tells zombies apart")
	}
	folder := t.TempDir()
	c := neighbour(t, folder)
	c.Process.Kill()
	me := Join(folder)
	for range 500 {
		if len(me.Others(0)) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("it is still there")
}

func TestReusedNumber(t *testing.T) {
	if started(os.Getpid()) == 0 {
		t.Skip("this system does not say when a process started")
	}
	folder := t.TempDir()
	before := Join(folder)
	before.own.Started--
	if err := before.Publish([]Usage{{"GPU-1", 5, 1}}); err != nil {
		t.Fatal(err)
	}
	if others := Join(folder).Others(0); len(others) != 0 {
		t.Errorf("got %+v", others)
	}
}

// TestHostileFiles: what is not an entry counts for nothing, and hides nothing.
func TestHostileFiles(t *testing.T) {
	folder := t.TempDir()
	pid := os.Getpid()
	sound := func(change func(e *entry)) string {
		e := Join(folder).own
		e.ID, e.GPUs = "x", []Usage{{"GPU-1", 1, 1}}
		change(&e)
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	good := sound(func(*entry) {})
	name := fmt.Sprintf("%d-x.json", pid)
	for what, file := range map[string][2]string{
		"empty":             {name, ""},
		"half written":      {name, good[:len(good)/2]},
		"partial":           {fmt.Sprintf("%d-x.partial", pid), good},
		"two values":        {name, good + good},
		"a list":            {name, "[]"},
		"null":              {name, "null"},
		"huge":              {name, good + strings.Repeat(" ", maxBytes)},
		"deep":              {name, strings.Repeat("[", maxBytes-1)},
		"another version":   {name, sound(func(e *entry) { e.Version = 2 })},
		"another number":    {name, sound(func(e *entry) { e.PID = 1 })},
		"another id":        {name, sound(func(e *entry) { e.ID = "y" })},
		"no name":           {name, sound(func(e *entry) { e.Name = "" })},
		"endless name":      {name, sound(func(e *entry) { e.Name = strings.Repeat("x", maxName+1) })},
		"all memory":        {name, sound(func(e *entry) { e.GPUs[0].Memory = 1<<64 - 1 })},
		"too busy":          {name, sound(func(e *entry) { e.GPUs[0].Utilization = 101 })},
		"less than idle":    {name, sound(func(e *entry) { e.GPUs[0].Utilization = -1 })},
		"no GPU":            {name, sound(func(e *entry) { e.GPUs[0].UUID = "" })},
		"one GPU twice":     {name, sound(func(e *entry) { e.GPUs = append(e.GPUs, e.GPUs[0]) })},
		"too many GPUs":     {name, sound(func(e *entry) { e.GPUs = make([]Usage, maxGPUs+1) })},
		"no number":         {"x-x.json", good},
		"a negative number": {"-1-x.json", good},
		"a padded number":   {fmt.Sprintf("0%d-x.json", pid), good},
		"an endless number": {strings.Repeat("9", 40) + "-x.json", good},
		"no id":             {fmt.Sprintf("%d.json", pid), good},
	} {
		path := filepath.Join(folder, file[0])
		if err := os.WriteFile(path, []byte(file[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		if others := Join(folder).Others(0); len(others) != 0 {
			t.Errorf("%s: got %+v", what, others)
		}
		os.Remove(path)
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, fmt.Sprintf("%d-folder.json", pid)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(folder, fmt.Sprintf("%d-link.json", pid))); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	if others := Join(folder).Others(0); len(others) != 1 {
		t.Errorf("the sound one: got %+v", others)
	}
}

// TestManyPlaces publishes and reads at once: nothing is ever half seen.
func TestManyPlaces(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "machine")
	const places, rounds = 8, 50
	var all sync.WaitGroup
	for range places {
		all.Go(func() {
			me := Join(folder)
			for i := range rounds {
				if i%10 == 5 {
					if err := me.Publish(nil); err != nil { // the last to leave takes the folder along
						t.Error(err)
					}
				}
				if err := me.Publish([]Usage{{"GPU-1", 7, i % 100}}); err != nil {
					t.Error(err)
				}
				for _, other := range me.Others(0) {
					if len(other.GPUs) != 1 || other.GPUs[0].Memory != 7 {
						t.Errorf("got %+v", other)
					}
				}
			}
		})
	}
	all.Wait()
	if got := Join(folder).Held("GPU-1", 0); got != 7*places {
		t.Errorf("in the end: got %d", got)
	}
}

func TestAlone(t *testing.T) {
	var me *Table
	if me.Publish([]Usage{{"GPU-1", 5, 1}}) != nil || me.Others(0) != nil || me.Held("GPU-1", 0) != 0 {
		t.Error("a program at a machine of its own sees others")
	}
	gone := Join(filepath.Join(t.TempDir(), "gone", "machine"))
	if gone.Publish([]Usage{{"GPU-1", 5, 1}}) == nil || len(gone.Others(0)) != 0 {
		t.Error("a folder that is not there can be written")
	}
}
