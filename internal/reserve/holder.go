package reserve

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
)

const (
	maxName = 256  // bytes
	maxLine = 4096 // bytes; JSON makes at most six of one
)

// Holder is the program that holds a GPU, by its own account: a number and a name without arguments, which can hold secrets
// that outlive the program in the file. The zero Holder is one that has not told.
type Holder struct {
	PID       int    `json:"pid"`
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"` // of process numbers, where a keeper watches the program
}

// line returns what a lock file says of a holder.
func (h Holder) line() ([]byte, error) {
	h.Name = strings.ToValidUTF8(h.Name[:min(len(h.Name), maxName)], "")
	line, err := json.Marshal(h)
	return append(line, '\n'), err
}

// write puts a holder on the first line of a file. It never empties the file first: a reader finds the old line, the new
// one, or one that it cannot read.
func (h Holder) write(f *os.File) error {
	line, err := h.line()
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(line, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(line)))
}

func (h Holder) writeAll(files []*os.File) error {
	for _, f := range files {
		if err := h.write(f); err != nil {
			return err
		}
	}
	return nil
}

func readHolder(f *os.File) Holder {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, maxLine))
	if err != nil {
		return Holder{}
	}
	return parseHolder(text)
}

// parseHolder reads the first line of a lock file, which anyone may have written.
func parseHolder(text []byte) Holder {
	line, _, whole := bytes.Cut(text, []byte("\n"))
	var h Holder
	if !whole || json.Unmarshal(line, &h) != nil || h.PID < 1 || len(h.Name) > maxName || len(h.Namespace) > maxName {
		return Holder{}
	}
	return h
}
