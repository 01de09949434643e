package checkpoint

import (
	"archive/zip"
	"encoding/binary"
	"io"
)

// torchArchive writes the members of the zip form.
type torchArchive struct {
	zip   *zip.Writer
	count *counter
}

// counter counts the bytes that pass through it.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

func newTorchArchive(w io.Writer) *torchArchive {
	count := &counter{Writer: w}
	return &torchArchive{zip.NewWriter(count), count}
}

// create begins a member whose bytes stand at a multiple of torchAlignment.
func (a *torchArchive) create(name string) (io.Writer, error) {
	name = torchFolder + name
	if err := a.zip.Flush(); err != nil { // so that the count is right
		return nil, err
	}
	const fieldHeader = 4
	start := a.count.n + localHeaderBytes + int64(len(name)) + fieldHeader
	padding := -start & (torchAlignment - 1)
	extra := make([]byte, fieldHeader+padding)
	binary.LittleEndian.PutUint16(extra, torchPadding)
	binary.LittleEndian.PutUint16(extra[2:], uint16(padding))
	return a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Extra: extra})
}

// text writes a member.
func (a *torchArchive) text(name, text string) error {
	w, err := a.create(name)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}
