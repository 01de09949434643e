package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"cresset/checkpoint"
)

// nameMap says how names change.
type nameMap struct {
	path     string
	exact    map[string]nameRule
	prefixes []nameRule // the first that fits counts
}

// nameRule is a line of a map.
type nameRule struct {
	line     int
	from, to string // names, or prefixes
	out      bool   // the tensor is left out
}

const leftOut = "-"

// readNameMap reads lines of an old and a new name. Empty lines and those that begin with # are left out.
func readNameMap(path string) (*nameMap, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &nameMap{path: path, exact: map[string]nameRule{}}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("%s:%d: expected an old and a new name, but found %s", path, n, plural(len(fields), "word"))
		}
		if err := m.add(n, fields[0], fields[1]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s: expected lines of an old and a new name, but found one of %d bytes or more", path, bufio.MaxScanTokenSize)
	}
	return m, lines.Err()
}

// add takes a line.
func (m *nameMap) add(line int, old, name string) error {
	r := nameRule{line: line, out: name == leftOut}
	var any, anyTo bool
	r.from, any = strings.CutSuffix(old, "*")
	r.to, anyTo = strings.CutSuffix(name, "*")
	before, twice := m.exact[r.from]
	if any {
		i := slices.IndexFunc(m.prefixes, func(p nameRule) bool { return p.from == r.from })
		if twice = i >= 0; twice {
			before = m.prefixes[i]
		}
	}
	switch {
	case any != anyTo && !r.out:
		return errors.New("expected a * at the end of both names or of none")
	case twice:
		return fmt.Errorf("%q stands in line %d already", old, before.line)
	case any:
		m.prefixes = append(m.prefixes, r)
	default:
		m.exact[r.from] = r
	}
	return nil
}

// rename returns the new name, "" for a tensor that is left out. Names that no line is about stay.
func (m *nameMap) rename(name string) string {
	to, _ := m.apply(name)
	return to
}

// apply returns the new name and the rule that gave it.
func (m *nameMap) apply(name string) (to string, by nameRule) {
	by, ok := m.exact[name]
	rest := ""
	for i := 0; !ok && i < len(m.prefixes); i++ {
		by = m.prefixes[i]
		rest, ok = strings.CutPrefix(name, by.from)
	}
	switch {
	case !ok:
		return name, nameRule{}
	case by.out:
		return "", by
	}
	return by.to + rest, by
}

// check refuses lines that are about no tensor of a file, and those that leave a name empty.
func (m *nameMap) check(f *checkpoint.File, path string) error {
	names := make([]string, 0, len(f.Entries()))
	for _, e := range f.Entries() {
		names = append(names, e.Name)
		if to, by := m.apply(e.Name); to == "" && !by.out {
			return fmt.Errorf("%s:%d: %q would have no name left", m.path, by.line, e.Name)
		}
	}
	slices.Sort(names)
	var idle []nameRule
	for _, r := range m.exact {
		if _, ok := slices.BinarySearch(names, r.from); !ok {
			idle = append(idle, r)
		}
	}
	for _, r := range m.prefixes {
		if i, _ := slices.BinarySearch(names, r.from); i == len(names) || !strings.HasPrefix(names[i], r.from) {
			r.from += "*"
			idle = append(idle, r)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	slices.SortFunc(idle, func(a, b nameRule) int { return a.line - b.line })
	var told []string
	for _, r := range idle[:min(8, len(idle))] {
		told = append(told, fmt.Sprintf("%q (line %d)", r.from, r.line))
	}
	if more := len(idle) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%s: %s has no tensor %s", m.path, path, strings.Join(told, ", "))
}
