package checkpoint

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"
)

// format is a way to read files that begin in some way.
type format struct {
	starts func(head []byte) bool // of the first bytes, headBytes where the file has them
	read   func(*source) (*contents, error)
}

const headBytes = 16

// shardReaders are the formats of single files.
var shardReaders = []format{
	{startsSafetensors, openSafetensors},
	{startsWith(localSignature), openZip},
	{startsWith(endSignature), openZip}, // no members
	{startsWith(npyMagic), openNPY},
	{startsTorchLegacy, openTorchLegacy},
	{startsTorchTar, refuseTorchTar},
}

// readers are the formats that Open knows; the first that fits counts.
var readers = append(slices.Clip(shardReaders), format{startsObject, openIndex})

// startsObject reports whether a file begins as an object in JSON.
func startsObject(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
}

func startsWith(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

// openZip tells PyTorch's files from NPZ by the members, and by the name where it is neither.
func openZip(s *source) (*contents, error) {
	members, err := zipMembers(s)
	if err != nil {
		return nil, err
	}
	arrays := 0
	for _, m := range members {
		if path.Base(m.name) == torchPickle {
			return openTorch(s, members)
		}
		if strings.HasSuffix(m.name, npySuffix) {
			arrays++
		}
	}
	switch {
	case arrays == 0 && formatOf(s.path) == PyTorch:
		return nil, s.fault("", "the member "+torchPickle+" in a folder, which holds the values", "%s", listed(members))
	case arrays == 0 && len(members) > 0:
		return nil, s.fault("", "the member "+torchPickle+" in a folder, as PyTorch writes it, or a name that ends in "+npySuffix, "%s", listed(members))
	}
	return openNPZ(s, members)
}

// listed names the first members.
func listed(members []member) string {
	if len(members) == 0 {
		return "no members"
	}
	var names []string
	for _, m := range members[:min(3, len(members))] {
		names = append(names, strconv.Quote(m.name))
	}
	if len(members) > len(names) {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
