package checkpoint

import (
	"io"
	"os"
)

// disk is what changes files and folders; tests put one in its place that fails.
type disk interface {
	create(path string, mode os.FileMode) (diskFile, error) // fails where there is a file
	rename(from, to string) error
	remove(path string) error
	syncFolder(dir string) error
}

// diskFile is a file that is being written.
type diskFile interface {
	io.WriteCloser
	Sync() error
	Name() string
}

// system is the disk of the operating system.
type system struct{}

func (system) create(path string, mode os.FileMode) (diskFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (system) rename(from, to string) error { return os.Rename(from, to) }

func (system) remove(path string) error { return os.Remove(path) }

// syncFolder makes the names in a folder outlast a crash. Systems whose folders cannot be synced say so, which changes nothing.
func (system) syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
