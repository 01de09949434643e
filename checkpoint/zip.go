package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"
)

// A zip file is members, each behind a local header, then the directory of all of them, then a record that says where the
// directory is. archive/zip takes what others wrote as it comes; here members may not overlap, come twice or lie, and nothing is
// allocated for a directory that is not there.

// member is a file in a zip file.
type member struct {
	name   string
	at     int64 // of its first byte
	packed int64 // bytes in the file
	size   int64 // bytes decompressed
	method uint16
	sum    uint32 // CRC-32 of the decompressed bytes
	noSum  bool   // sum is not one
	header int64  // where the local header is
}

const (
	stored   = 0
	deflated = 8
)

const (
	localHeaderBytes    = 30
	directoryEntryBytes = 46
	endBytes            = 22
	end64LocatorBytes   = 20
	end64Bytes          = 56

	localSignature        = "PK\x03\x04"
	directorySignature    = "PK\x01\x02"
	endSignature          = "PK\x05\x06"
	end64LocatorSignature = "PK\x06\x07"
	end64Signature        = "PK\x06\x06"

	// PyTorch and NumPy write at least leastMember bytes for each member, with its headers, and reading the directory takes no more
	// memory for each.
	leastMember = 192
	fewMembers  = 20_000

	refusedFlags = 1<<0 | 1<<5 | 1<<6 | 1<<13 // encrypted, or a patch
)

var little = binary.LittleEndian

// zipMembers reads the directory of a zip file.
func zipMembers(s *source) ([]member, error) {
	start, size, count, err := zipEnd(s)
	if err != nil {
		return nil, err
	}
	directory := make([]byte, size)
	if _, err := s.ReadAt(directory, start); err != nil {
		return nil, err
	}
	headers := mapFile(s, 0, s.size)
	defer headers.close()
	members, buffer := make([]member, 0, count), []byte(nil)
	for rest := directory; len(rest) > 0; {
		m, n, err := zipEntry(s, rest, start+int64(len(directory)-len(rest)), headers, &buffer)
		if err != nil {
			return nil, err
		}
		if rest = rest[n:]; len(members) == count {
			return nil, s.fault("directory", fmt.Sprintf("%d members", count), "more")
		}
		members = append(members, m)
	}
	if len(members) != count {
		return nil, s.fault("directory", fmt.Sprintf("%d members", count), "%d", len(members))
	}
	return members, arrangeMembers(s, members, start)
}

// zipEnd returns where the directory is, how many bytes it has, and how many members.
func zipEnd(s *source) (start, size int64, count int, err error) {
	var end [endBytes]byte
	at := s.size - endBytes
	if at < 0 || readAt(s, end[:], at) != nil || string(end[:4]) != endSignature || little.Uint16(end[20:]) != 0 {
		return 0, 0, 0, s.fault("", "a zip file that ends with the record of its directory", "another end")
	}
	n, all := uint64(little.Uint16(end[8:])), uint64(little.Uint16(end[10:]))
	length, offset := uint64(little.Uint32(end[12:])), uint64(little.Uint32(end[16:]))
	if little.Uint32(end[4:]) != 0 {
		return 0, 0, 0, s.fault("end of directory", "a zip file in one piece", "a part of one")
	}
	if all == 0xffff || length == 0xffffffff || offset == 0xffffffff {
		if n, all, length, offset, at, err = zipEnd64(s, at); err != nil {
			return 0, 0, 0, err
		}
	}
	// Bounds first, so that nothing below overflows. Members that hold no tensor are few.
	if offset > uint64(at) || length > uint64(at)-offset || n != all || all > length/directoryEntryBytes {
		return 0, 0, 0, s.fault("end of directory", "a directory inside the file", "%d members in %d bytes at byte %d", all, length, offset)
	}
	if length > uint64(s.limits.Header) || all > uint64(s.limits.Tensors)+16 {
		return 0, 0, 0, s.fault("end of directory", fmt.Sprintf("at most %d tensors and %d bytes", s.limits.Tensors, s.limits.Header), "%d and %d", all, length)
	}
	if most := fewMembers + uint64(s.size)/leastMember; all > most {
		return 0, 0, 0, s.fault("end of directory", fmt.Sprintf("at most %d members in a file of %d bytes", most, s.size), "%d", all)
	}
	return int64(offset), int64(length), int(all), nil
}

// zipEnd64 reads the larger record, whose place a locator before the smaller one tells.
func zipEnd64(s *source, end int64) (n, all, length, offset uint64, at int64, err error) {
	var locator [end64LocatorBytes]byte
	var record [end64Bytes]byte
	fault := s.fault("end of directory", "a record of 64 bits", "none")
	if err := readAt(s, locator[:], max(end-end64LocatorBytes, 0)); err != nil {
		return 0, 0, 0, 0, 0, err
	}
	place := little.Uint64(locator[8:])
	if string(locator[:4]) != end64LocatorSignature || place > uint64(end) || readAt(s, record[:], int64(place)) != nil ||
		string(record[:4]) != end64Signature || little.Uint64(record[16:]) != 0 {
		return 0, 0, 0, 0, 0, fault
	}
	return little.Uint64(record[24:]), little.Uint64(record[32:]), little.Uint64(record[40:]), little.Uint64(record[48:]), int64(place), nil
}

// zipEntry reads an entry of the directory, and the local header that it names, and returns how many bytes it has. It stands at
// byte at of the file. The local header is copied where the file is mapped, since a read for each took a fifth of the time of
// "list .pt"; the buffer is kept for the next.
func zipEntry(s *source, b []byte, at int64, headers mapping, buffer *[]byte) (m member, n int, err error) {
	if len(b) < directoryEntryBytes || string(b[:4]) != directorySignature {
		return m, 0, s.fault(entryAt(at), "an entry", "other bytes")
	}
	nameLen, extraLen, commentLen := int(little.Uint16(b[28:])), int(little.Uint16(b[30:])), int(little.Uint16(b[32:]))
	if n = directoryEntryBytes + nameLen + extraLen + commentLen; n > len(b) {
		return m, 0, s.fault(entryAt(at), "an entry", "a part of one")
	}
	name, extra := b[directoryEntryBytes:][:nameLen], b[directoryEntryBytes+nameLen:][:extraLen]
	m = member{name: string(name), method: little.Uint16(b[10:]), sum: little.Uint32(b[16:])}
	sizes := [3]uint64{uint64(little.Uint32(b[24:])), uint64(little.Uint32(b[20:])), uint64(little.Uint32(b[42:]))}
	if !zipSizes64(extra, &sizes) || sizes[0] > maxElements || sizes[1] > uint64(s.size) || sizes[2] > uint64(s.size) {
		return m, 0, s.fault(entryAt(at), "sizes inside the file", "%d and %d bytes at byte %d", sizes[0], sizes[1], sizes[2])
	}
	m.size, m.packed, m.header = int64(sizes[0]), int64(sizes[1]), int64(sizes[2])
	if fault := m.fault(little.Uint16(b[8:]), s.limits.Ratio); fault != "" {
		return m, 0, s.fault(fmt.Sprintf("member %q", m.name), fault, "another")
	}
	local := slices.Grow(*buffer, localHeaderBytes+nameLen)[:localHeaderBytes+nameLen]
	*buffer = local[:0]
	if !headers.copy(local, int(m.header)) {
		if err := readAt(s, local, m.header); err != nil {
			return m, 0, err
		}
	}
	if string(local[:4]) != localSignature || little.Uint16(local[8:]) != m.method || int(little.Uint16(local[26:])) != nameLen ||
		!bytes.Equal(local[localHeaderBytes:], name) {
		return m, 0, s.fault(fmt.Sprintf("member %q", m.name), "the header that the directory tells of", "another")
	}
	m.at = m.header + int64(len(local)) + int64(little.Uint16(local[28:]))
	return m, n, nil
}

// entryAt names the entry of the directory at a byte.
func entryAt(at int64) string { return fmt.Sprintf("directory, byte %d", at) }

// zipSizes64 puts the sizes of 64 bits in an extra field in place of those that did not fit 32.
func zipSizes64(extra []byte, sizes *[3]uint64) bool {
	for len(extra) >= 4 {
		id, n := little.Uint16(extra), int(little.Uint16(extra[2:]))
		if extra = extra[4:]; n > len(extra) {
			return false
		}
		field := extra[:n]
		if extra = extra[n:]; id != 1 {
			continue
		}
		for i := range sizes {
			if sizes[i] == 0xffffffff {
				if len(field) < 8 {
					return false
				}
				sizes[i], field = little.Uint64(field), field[8:]
			}
		}
	}
	return true
}

// fault returns what the member was expected to have, "" where it is sound.
func (m *member) fault(flags uint16, ratio int64) string {
	switch {
	case flags&refusedFlags != 0:
		return "a member that is not encrypted"
	case m.method != stored && m.method != deflated:
		return "a member that is stored or deflated"
	case m.method == stored && m.packed != m.size:
		return "a stored member of one size"
	case m.method == deflated && m.size/ratio > m.packed:
		return fmt.Sprintf("at most %d bytes for each compressed one", ratio)
	case !fs.ValidPath(m.name) || !utf8.ValidString(m.name) || strings.ContainsAny(m.name, "\\:\x00"):
		return "a name without a way out of the file"
	}
	return ""
}

// arrangeMembers wants each name once, and no byte in two members or in the directory.
func arrangeMembers(s *source, members []member, directory int64) error {
	order := make([]int32, len(members))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(members[i].header, members[j].header) })
	for k, i := range order {
		m, end := &members[i], directory
		if k+1 < len(order) {
			end = members[order[k+1]].header
		}
		if m.at > end || m.packed > end-m.at {
			return s.fault(fmt.Sprintf("member %q", m.name), fmt.Sprintf("an end before byte %d", end), "%d bytes from byte %d on", m.packed, m.at)
		}
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(members[i].name, members[j].name) })
	for k := 1; k < len(order); k++ {
		if name := members[order[k]].name; name == members[order[k-1]].name {
			return s.fault("directory", "each name once", "%q twice", name)
		}
	}
	return nil
}
