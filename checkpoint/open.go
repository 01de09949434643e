package checkpoint

import (
	"fmt"
	"io/fs"
	"os"
)

// Open opens a checkpoint of any format, which it finds by the content: a file, the index of a sharded set, or the folder of one.
// It reads what the file says of its tensors, not their elements, which come when they are asked for.
func Open(path string, opts ...OpenOption) (*File, error) {
	o := collect(opts)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if path, err = inFolder(path); err != nil {
			return nil, err
		}
	}
	return openFile(path, o.limits, readers)
}

// openFile opens a file of one of the formats.
func openFile(path string, limits Limits, formats []format) (*File, error) {
	// Opening what is no file could wait for ever.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &FormatError{File: path, Expected: "a file", Found: kindOf(info.Mode())}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &source{path: path, file: f, size: info.Size(), limits: limits}
	file, err := s.open(formats)
	if err != nil {
		f.Close()
		return nil, err
	}
	return file, nil
}

// kindOf says what is there in place of a file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "something else"
	}
}

// open finds the format and reads what the file says.
func (s *source) open(formats []format) (*File, error) {
	read, err := s.reader(formats)
	if err != nil {
		return nil, err
	}
	within, err := read(s)
	if err != nil {
		return nil, err
	}
	names, err := within.check(s)
	if err != nil {
		within.close()
		return nil, err
	}
	within.closers = append(within.closers, s.file)
	return &File{path: s.path, within: within, names: names}, nil
}

// reader returns the function that reads the file, by its first bytes.
func (s *source) reader(formats []format) (func(*source) (*contents, error), error) {
	head := make([]byte, min(s.size, headBytes))
	if _, err := s.ReadAt(head, 0); err != nil {
		return nil, err
	}
	for _, f := range formats {
		if f.starts(head) {
			return f.read, nil
		}
	}
	found := "an empty file"
	if len(head) > 0 {
		found = fmt.Sprintf("one that begins with % x", head)
	}
	return nil, s.fault("", "a file in the format of safetensors, PyTorch, NPY or NPZ, or an index of shards", "%s", found)
}
