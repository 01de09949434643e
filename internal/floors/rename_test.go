package floors

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestRenameModule gives a copy of the module two other paths, one after the other, and lets Go resolve every import.
func TestRenameModule(t *testing.T) {
	for _, tool := range []string{"sh", "perl"} {
		if _, err := exec.LookPath(tool); err != nil || runtime.GOOS == "windows" {
			t.Skip("scripts/rename-module needs a Unix with ", tool)
		}
	}
	dir := t.TempDir()
	duplicate(t, "../..", dir)
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	before := strings.Fields(run("go", "list", "./..."))
	old := module
	for _, path := range []string{"example.org/you/" + module, "numbers"} {
		run("scripts/rename-module", path)
		for _, text := range []string{`"` + old + `/`, " " + old + "/", "`" + old + "/"} {
			if left := mentions(t, dir, text); left != "" {
				t.Errorf("%s still has %s", left, text)
			}
		}
		if left := generates(t, filepath.Join(dir, "internal", "kgen"), old); left != "" {
			t.Errorf("%s writes imports of %s", left, old)
		}
		run("go", "list", "-deps", "-test", "./...")
		run("go", "build", "./dtype", "./device", "./internal/op", "./internal/floors")
		run("go", "vet", "./internal/floors")
		after := strings.Fields(run("go", "list", "./..."))
		for i, pkg := range before {
			if want := path + strings.TrimPrefix(pkg, module); after[i] != want {
				t.Errorf("got package %s, want %s", after[i], want)
			}
		}
		old = path
	}
}

// generates returns a file below dir that names the old path before a slash, as what writes imports does, or "".
func generates(t *testing.T, dir, old string) (found string) {
	t.Helper()
	named := regexp.MustCompile(`(^|[^\w./~-])` + regexp.QuoteMeta(old) + `/`)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		data, err := os.ReadFile(path)
		if named.Match(data) {
			found = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// duplicate copies the module's files.
func duplicate(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil || rel == "." {
			return err
		}
		switch {
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "shared"):
			return fs.SkipDir
		case d.IsDir():
			return os.Mkdir(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mentions returns a Go file or page that names a package of the module by a path that begins with text.
func mentions(t *testing.T, dir, text string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".go" && ext != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		for _, rows := range rows {
			for _, pkg := range rows {
				if bytes.Contains(data, []byte(text+pkg+`"`)) || bytes.Contains(data, []byte(text+pkg+"`")) {
					found = path
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
