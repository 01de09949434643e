//go:build unix

package tenants

import (
	"io/fs"
	"os"
	"syscall"
)

// mine reports whether a file is the user's and nobody else may write it.
func mine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}
