package checkpoint

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// replace writes a file beside path, syncs it, gives it the name path, and syncs the folder: after a crash there is the old file
// or the new one. Nothing is left of a file that could not be written. Where path is a symbolic link the file that it leads to is
// replaced.
func replace(on disk, path string, write func(w io.Writer) error) error {
	d, err := newDraft(on, path, write)
	if err != nil {
		return err
	}
	defer d.discard()
	return commit(on, d)
}

// draft is a file that is written, beside the place where it belongs.
type draft struct {
	on    disk
	file  diskFile
	path  string // as the caller names it
	real  string // where it belongs: what path leads to where it is a symbolic link
	named bool   // it stands there
}

// newDraft writes a file beside path and syncs it.
func newDraft(on disk, path string, write func(w io.Writer) error) (_ *draft, err error) {
	real, err := followed(path)
	if err != nil {
		return nil, err
	}
	f, err := createBeside(on, path, real)
	if err != nil {
		return nil, err
	}
	d := &draft{on: on, file: f, path: path, real: real}
	defer func() {
		if err != nil {
			d.discard()
		}
	}()
	w := bufio.NewWriterSize(d, 1<<20)
	if err := write(w); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, asked(path, err)
	}
	return d, asked(path, f.Close())
}

// Write writes p.
func (d *draft) Write(p []byte) (int, error) {
	n, err := d.file.Write(p)
	return n, asked(d.path, err)
}

// asked returns an error of the system about the path that the program has named, in place of a file beside it.
func asked(path string, err error) error {
	var file *fs.PathError
	var rename *os.LinkError
	switch {
	case errors.As(err, &file):
		return &fs.PathError{Op: "write", Path: path, Err: file.Err}
	case errors.As(err, &rename):
		return &fs.PathError{Op: "write", Path: path, Err: rename.Err}
	}
	return err
}

// discard removes what was written, unless it has its name.
func (d *draft) discard() {
	if d.named {
		return
	}
	d.file.Close()
	d.on.remove(d.file.Name())
}

// commit gives drafts their names, in order, and syncs the folders.
func commit(on disk, drafts ...*draft) error {
	var folders []string
	for _, d := range drafts {
		if err := on.rename(d.file.Name(), d.real); err != nil {
			return asked(d.path, err)
		}
		d.named = true
		if folder := folderOf(d.real); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		if err := on.syncFolder(folder); err != nil {
			return err
		}
	}
	return nil
}

// removeSynced removes a file if there is one, and syncs the folder: after a crash it does not come back.
func removeSynced(on disk, path string) error {
	err := on.remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return on.syncFolder(folderOf(path))
}

// folderOf returns the folder of a path, by a name that can be opened.
func folderOf(path string) string {
	folder, _ := filepath.Split(path)
	return cmp.Or(folder, ".")
}

// maxLinks is how many symbolic links may lead from one to the next, as on Linux.
const maxLinks = 40

// followed returns where the symbolic links lead that path is the first of. The last may lead to what is not there yet. Paths are
// only joined: to take ".." away is wrong behind a link.
func followed(path string) (string, error) {
	at := path
	for range maxLinks {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return at, nil // what is wrong with it, who creates the file is told
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", asked(path, err)
		}
		if folder, _ := filepath.Split(at); !filepath.IsAbs(to) {
			to = folder + to
		}
		at = to
	}
	return "", &fs.PathError{Op: "write", Path: path, Err: syscall.ELOOP}
}

// maxBase is how much of a file's name stands in that of its draft: with all of it a name of 255 bytes would be too long.
const maxBase = 128

// createBeside makes a new file in the folder of real, which other processes that write there do not touch. Errors are about path.
func createBeside(on disk, path, real string) (diskFile, error) {
	mode, err := modeFor(path)
	if err != nil {
		return nil, err
	}
	folder, base := filepath.Split(real)
	base = strings.ToValidUTF8(base[:min(len(base), maxBase)], "")
	for {
		f, err := on.create(fmt.Sprintf("%s.%s.%d-%08x.tmp", folder, base, os.Getpid(), rand.Uint32()), mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, asked(path, err)
		}
	}
}

// modeFor returns the mode of a file in place of what path leads to: where that is a file, the new one can be read and written by no
// more users. A folder, a device, a pipe or a socket is an error, since renaming would take its name away.
func modeFor(path string) (os.FileMode, error) {
	old, err := os.Stat(path)
	switch {
	case err != nil: // what is wrong, who creates the file is told
		return 0o666, nil
	case !old.Mode().IsRegular():
		return 0, &fs.PathError{Op: "write", Path: path, Err: fmt.Errorf("it is %s", kindOf(old.Mode()))}
	}
	return old.Mode().Perm(), nil
}
