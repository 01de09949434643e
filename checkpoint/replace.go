package checkpoint

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// replace writes a file beside path, syncs it, gives it the name path, and syncs the folder: after a crash there is the old file
// or the new one. Nothing is left of a file that could not be written.
func replace(on disk, path string, write func(w io.Writer) error) error {
	d, err := newDraft(on, path, write)
	if err != nil {
		return err
	}
	return commit(on, filepath.Dir(path), d)
}

// draft is a file that is written, beside the place where it belongs.
type draft struct {
	on   disk
	file diskFile
	path string // where it belongs
}

// newDraft writes a file beside path and syncs it.
func newDraft(on disk, path string, write func(w io.Writer) error) (_ *draft, err error) {
	f, err := createBeside(on, path)
	if err != nil {
		return nil, err
	}
	d := &draft{on, f, path}
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

// discard removes what was written.
func (d *draft) discard() {
	d.file.Close()
	d.on.remove(d.file.Name())
}

// commit gives drafts of one folder their names, in order, and syncs the folder.
func commit(on disk, dir string, drafts ...*draft) error {
	for i, d := range drafts {
		if err := on.rename(d.file.Name(), d.path); err != nil {
			for _, d := range drafts[i:] {
				d.discard()
			}
			return asked(d.path, err)
		}
	}
	return on.syncFolder(dir)
}

// createBeside makes a new file in the folder of path, which other processes that write path do not touch. Where path is a file the
// new one can be read and written by no more users.
func createBeside(on disk, path string) (diskFile, error) {
	mode := os.FileMode(0o666)
	switch old, err := os.Stat(path); {
	case err == nil && old.IsDir():
		return nil, &fs.PathError{Op: "write", Path: path, Err: errFolder}
	case err == nil && old.Mode().IsRegular():
		mode = old.Mode().Perm()
	}
	for {
		name := fmt.Sprintf(".%s.%d-%08x.tmp", filepath.Base(path), os.Getpid(), rand.Uint32())
		f, err := on.create(filepath.Join(filepath.Dir(path), name), mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, asked(path, err)
		}
	}
}

var errFolder = errors.New("it is a folder")
