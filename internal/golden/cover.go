package golden

import "testing"

// Asserted returns the entries that a package asserts, and fails where an entry that is the package's to answer for is
// neither asserted nor omitted with a reason, where it is both, and where a table names what was not recorded. others
// names the packages of entries that are not for the recording's home; the home's own name is "".
func Asserted[A any](t testing.TB, entries []Entry, pkg string, others map[string]string, asserted map[string]A, omitted map[string]string) []Entry {
	t.Helper()
	var mine []Entry
	recorded := make(map[string]bool)
	for _, e := range entries {
		recorded[e.Key] = true
		_, asserts := asserted[e.Key]
		reason := omitted[e.Key]
		switch {
		case asserts && reason != "":
			t.Errorf("%q is asserted, but said not to be: %s", e.Key, reason)
		case asserts && others[e.Key] != pkg:
			t.Errorf("%q is asserted, but is for another package", e.Key)
		case asserts:
			mine = append(mine, e)
		case reason == "" && others[e.Key] == pkg:
			t.Errorf("%q is neither asserted nor omitted with a reason", e.Key)
		}
	}
	refuseUnknown(t, "asserted", asserted, recorded)
	refuseUnknown(t, "omitted", omitted, recorded)
	refuseUnknown(t, "for another package", others, recorded)
	return mine
}

func refuseUnknown[A any](t testing.TB, how string, table map[string]A, recorded map[string]bool) {
	t.Helper()
	for key := range table {
		if !recorded[key] {
			t.Errorf("%q is %s, but was not recorded", key, how)
		}
	}
}
