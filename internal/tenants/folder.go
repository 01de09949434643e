package tenants

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Variable is the environment variable that moves the files of shared machines to another folder; "off" gives a program a
// machine of its own.
const Variable = "CRESSET_SIM_STATE"

// Shared returns the place of this program at the machine that a value of CRESSET_SIM describes. It is nil, a machine of its
// own, where CRESSET_SIM_STATE is "off"; and with an error where there is no folder that the user alone can write.
func Shared(value string) (*Table, error) {
	folder, err := Folder(value)
	if err != nil || folder == "" {
		return nil, err
	}
	return Join(folder), nil
}

// Folder returns the folder of the machine that a value of CRESSET_SIM describes. It is in one that the user alone can
// write, which is made where it is missing: CRESSET_SIM_STATE, one in XDG_RUNTIME_DIR or one in the system's folder for
// temporary files. It is "" where CRESSET_SIM_STATE is "off".
func Folder(value string) (string, error) {
	var tried []error
	for _, base := range bases() {
		if base == "off" {
			return "", nil
		}
		err := private(base)
		if err == nil {
			return filepath.Join(base, "sim-"+machineKey(value)), nil
		}
		tried = append(tried, err)
	}
	return "", fmt.Errorf("simulated machine: no folder to share it in: %w", errors.Join(tried...))
}

func bases() []string {
	if dir, set := os.LookupEnv(Variable); set && dir != "" {
		return []string{dir}
	}
	own := "cresset"
	if runtime.GOOS != "windows" { // where the folder for temporary files is the user's own
		own = fmt.Sprintf("cresset-%d", os.Getuid())
	}
	fallback := filepath.Join(os.TempDir(), own)
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return []string{filepath.Join(dir, "cresset"), fallback}
	}
	return []string{fallback}
}

// private makes a folder that only the user can write, or finds it.
func private(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	case !mine(info):
		return fmt.Errorf("%s is not the user's alone (want the user's own, with mode 0700)", dir)
	}
	return nil
}

// machineKey names a machine. One file is one machine wherever it is named from.
func machineKey(value string) string {
	if strings.ContainsAny(value, `/\.`) {
		if path, err := filepath.Abs(value); err == nil {
			value = path
		}
		if path, err := filepath.EvalSymlinks(value); err == nil {
			value = path
		}
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(value)) // never fails
	return fmt.Sprintf("%016x", hash.Sum64())
}
