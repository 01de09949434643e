package tenants

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// own returns a folder that only the user can read.
func own(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFolder(t *testing.T) {
	base := own(t)
	t.Setenv(Variable, "")
	t.Setenv("XDG_RUNTIME_DIR", base)
	a, err := Folder("a100:2")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(a, filepath.Join(base, "cresset")+string(filepath.Separator)) {
		t.Errorf("got %s", a)
	}
	again, _ := Folder("a100:2")
	other, _ := Folder("a100:3")
	if again != a || other == a {
		t.Errorf("got %s and %s beside %s", again, other, a)
	}
	table, err := Shared("a100:2")
	if err != nil || table == nil {
		t.Fatalf("got %v, %v", table, err)
	}
	if err := table.Publish([]Usage{{"GPU-1", 5, 1}}); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(a), a} {
		if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%s: got %v", dir, err)
		}
	}
	if err := table.Publish(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(a); err == nil {
		t.Errorf("%s is left", a)
	}
}

// TestFolderOfFile: one file is one machine, wherever it is named from.
func TestFolderOfFile(t *testing.T) {
	t.Setenv(Variable, own(t))
	dir := own(t)
	if err := os.WriteFile(filepath.Join(dir, "gpus.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	whole, err := Folder(filepath.Join(dir, "gpus.json"))
	if err != nil {
		t.Fatal(err)
	}
	if near, _ := Folder("./gpus.json"); near != whole {
		t.Errorf("got %s and %s", near, whole)
	}
}

func TestFolderOff(t *testing.T) {
	t.Setenv(Variable, "off")
	if table, err := Shared("2"); table != nil || err != nil {
		t.Errorf("got %v, %v", table, err)
	}
}

// TestFolderFallsBack: a session's folder can be gone, or another user's.
func TestFolderFallsBack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no XDG_RUNTIME_DIR, and TMPDIR is another's name")
	}
	temporary := own(t)
	t.Setenv(Variable, "")
	t.Setenv("TMPDIR", temporary)
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(temporary, "gone"))
	if got, err := Folder("2"); err != nil || !strings.HasPrefix(got, temporary) {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestFolderOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are Unix'")
	}
	open := own(t)
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(own(t), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(own(t), "link")
	if err := os.Symlink(own(t), link); err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{open, file, link} {
		t.Setenv(Variable, base)
		if table, err := Shared("2"); table != nil || err == nil {
			t.Errorf("%s: got %v, %v", base, table, err)
		}
	}
}
