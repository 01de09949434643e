package cli

import (
	"fmt"
	"os"

	"cresset/checkpoint"
)

// wholeIn returns the file to read for a path: of a folder of snapshots the best that is whole, the newest unless options ask for
// a measure, and it tells of those that are not; of anything else the path itself.
func (s *session) wholeIn(path string, opts ...checkpoint.SnapshotsOption) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	found, err := checkpoint.NewSnapshots(path, opts...).Best()
	if err != nil {
		return "", err
	}
	s.tellDamaged(found)
	if found.Path == "" {
		return path, nil
	}
	return found.Path, nil
}

// tellDamaged says which snapshots were passed over, a line for each.
func (s *session) tellDamaged(found checkpoint.Found) {
	for _, why := range found.Skipped {
		fmt.Fprintf(s.stderr, "cresset: passed over a damaged snapshot: %s\n", printable(firstLine(why.Error())))
	}
}
