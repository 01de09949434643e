package tour_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cresset/internal/tour"
)

const seedsPage = "../../docs/seeds.md"

// notes says of each note how many lines it has and which of them are empty.
var notes = map[string]struct {
	lines int
	empty []int
}{
	"000": {79, []int{2, 4, 8, 10, 12, 14, 16, 19, 21, 23, 30, 36, 38, 42, 44, 48, 50, 52, 54, 58, 61, 63, 65, 69, 72, 75, 78}},
	"001": {147, []int{3, 20, 31, 34, 39, 44, 49, 54, 60, 86, 91, 96, 99, 102, 105, 107, 112, 115, 118, 121, 133, 139, 144}},
	"002": {90, []int{2, 9, 13, 18, 25, 27, 32, 33, 43, 50, 55, 56, 64, 67, 71, 72, 74, 78, 86}},
	"003": {88, []int{3, 5, 9, 11, 24, 26, 31, 33, 36, 39, 43, 46, 53, 55, 57, 63, 65, 67, 70, 73, 76, 79, 86}},
	"004": {174, []int{4, 10, 16, 19, 21, 24, 29, 30, 33, 34, 36, 43, 45, 46, 50, 52, 55, 60, 61, 63, 71, 72, 75, 80, 85, 98, 101, 103, 114, 116,
		120, 122, 127, 130, 132, 134, 137, 151, 152, 157, 161, 165, 167, 169, 171, 173}},
}

// statement is a row of the page.
type statement struct {
	said, verdict string
	spans         []span
	steps, tests  []string // names
}

// span is lines of a note.
type span struct {
	note     string
	from, to int
}

var quoted = regexp.MustCompile("`([^`]+)`")

// readSeeds returns the rows of the page.
func readSeeds(t *testing.T, page string) (rows []statement) {
	t.Helper()
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 5 || !regexp.MustCompile(`^00\d:`).MatchString(cells[0]) {
			continue
		}
		row := statement{said: cells[1], verdict: cells[2]}
		for place := range strings.FieldsSeq(cells[0]) {
			row.spans = append(row.spans, readPlace(place)...)
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[3], -1) {
			row.steps = append(row.steps, m[1])
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[4], -1) {
			row.tests = append(row.tests, m[1])
		}
		rows = append(rows, row)
	}
	return rows
}

// TestSeedsPage holds docs/seeds.md to the notes, the tour and the tests.
func TestSeedsPage(t *testing.T) {
	raw, err := os.ReadFile(seedsPage)
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(raw), "\r\n", "\n")
	steps := stepNames()
	rows := readSeeds(t, page)
	covered := map[string][]bool{}
	for note, n := range notes {
		covered[note] = make([]bool, n.lines+1)
		for _, line := range n.empty {
			covered[note][line] = true
		}
	}
	for _, row := range rows {
		row.check(t, steps)
		for _, s := range row.spans {
			for line := max(s.from, 1); line <= min(s.to, notes[s.note].lines); line++ {
				covered[s.note][line] = true
			}
		}
	}
	for note, lines := range covered {
		for line := 1; line < len(lines); line++ {
			if !lines[line] {
				t.Errorf("no row tells of line %d of note %s", line, note)
			}
		}
	}
}

// check wants a row's verdict, steps and tests to be there.
func (row statement) check(t *testing.T, tour []string) {
	at := fmt.Sprintf("%v, %q", row.spans, row.said)
	for _, s := range row.spans {
		if s.to < s.from || s.to > notes[s.note].lines {
			t.Errorf("%s: there are no lines %d to %d", at, s.from, s.to)
		}
	}
	if !regexp.MustCompile(`^(true|dated|wrong|not yet|no statement)\b`).MatchString(row.verdict) {
		t.Errorf("%s: what verdict is %q?", at, row.verdict)
	}
	if judged := !strings.HasPrefix(row.verdict, "no"); judged && len(row.steps) == 0 || len(row.tests) == 0 {
		t.Errorf("%s has %d steps and %d tests", at, len(row.steps), len(row.tests))
	}
	for _, name := range row.steps {
		if !slices.Contains(tour, name) {
			t.Errorf("%s: the tour has no step %s", at, name)
		}
	}
	for _, name := range row.tests {
		dot := strings.LastIndexByte(name, '.')
		if !slices.Contains(testsOf(t, name[:max(dot, 0)]), name[dot+1:]) {
			t.Errorf("%s: there is no test %s", at, name)
		}
	}
}

// TestStepsStandOnThePage wants a step and a row to name each other: the row the step, the step lines of the row.
func TestStepsStandOnThePage(t *testing.T) {
	raw, err := os.ReadFile(seedsPage)
	if err != nil {
		t.Fatal(err)
	}
	rows := readSeeds(t, string(raw))
	for _, c := range tour.Chapters() {
		for _, s := range c.Steps {
			for place := range strings.FieldsSeq(s.Note) {
				if !slices.ContainsFunc(rows, func(row statement) bool { return row.meets(place) && slices.Contains(row.steps, s.Name()) }) {
					t.Errorf("%s mirrors %s, where docs/seeds.md does not name it", s.Name(), place)
				}
			}
			for _, row := range rows {
				if slices.Contains(row.steps, s.Name()) && !slices.ContainsFunc(strings.Fields(s.Note), row.meets) {
					t.Errorf("docs/seeds.md names %s for %v, which the step does not mirror", s.Name(), row.spans)
				}
			}
		}
	}
}

// meets reports whether a place in the notes, "001:70-75", has lines of the row.
func (row statement) meets(place string) bool {
	return slices.ContainsFunc(readPlace(place), func(at span) bool {
		return slices.ContainsFunc(row.spans, func(s span) bool { return at.note == s.note && at.from <= s.to && s.from <= at.to })
	})
}

// readPlace reads "001:70-75", "001:70" or several lines of a note, "001:4,70-75".
func readPlace(place string) (spans []span) {
	note, lines, _ := strings.Cut(place, ":")
	for text := range strings.SplitSeq(lines, ",") {
		first, last, isRange := strings.Cut(text, "-")
		if !isRange {
			last = first
		}
		from, _ := strconv.Atoi(first)
		to, _ := strconv.Atoi(last)
		spans = append(spans, span{note, from, to})
	}
	return spans
}

// stepNames returns the names of the tour's steps.
func stepNames() (names []string) {
	for _, c := range tour.Chapters() {
		for _, s := range c.Steps {
			names = append(names, s.Name())
		}
	}
	return names
}

var testName = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// testsOf returns the names of a package's tests.
func testsOf(t *testing.T, pkg string) (names []string) {
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testName.FindAllStringSubmatch(string(raw), -1) {
			names = append(names, m[1])
		}
	}
	return names
}
