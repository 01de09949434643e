package tui

import (
	"fmt"
	"strings"

	"cresset/internal/tui/paint"
)

// Widths of the lower table, in columns.
const (
	minPIDWidth        = 7 // Linux has at most 4194304 processes; others count on
	maxUserWidth       = 12
	programMemoryWidth = 10
	minCommandWidth    = 12
)

// programTable returns the head of the lower table and so many lines of it.
func (t *Top) programTable(lines int) (table, missing []string) {
	user, pid, kind := len("USER"), minPIDWidth, len("TYPE")
	for _, p := range t.programs {
		pid, kind = max(pid, len(p.number())), max(kind, len(p.kind()))
		user = min(maxUserWidth, max(user, paint.Width(p.user)))
	}
	least := 3 + 2 + pid + 2 + programMemoryWidth + 2 + minCommandWidth
	withUser := t.width >= least+user+2
	withType := t.width >= least+user+2+kind+2
	if !withUser {
		missing = append(missing, "users")
	}
	if !withType {
		missing = append(missing, "types")
	}
	row := func(gpu, number, name, does, memory, command string) string {
		cells := []string{t.right(gpu, 3), t.right(number, pid)}
		if withUser {
			cells = append(cells, t.left(name, user))
		}
		if withType {
			cells = append(cells, t.left(does, kind))
		}
		cells = append(cells, t.right(memory, programMemoryWidth))
		line := strings.Join(cells, "  ") + "  "
		return line + fit(command, t.width-paint.Width(line), t.options.ASCII)
	}
	table = append(table, t.programHead(row("GPU", "PID", "USER", "TYPE", "MEMORY", "COMMAND"), lines))
	for _, p := range t.programs[t.scroll:min(len(t.programs), t.scroll+lines)] {
		table = append(table, row(fmt.Sprint(p.gpu), p.number(), p.user, p.kind(), p.memory(), p.command))
	}
	if len(t.programs) == 0 {
		table = append(table, t.styles.faint.Render(fit("  no program"+t.filtered(), t.width, t.options.ASCII)))
	}
	return table, missing
}

// programHead is the head with what part of the programs is in view.
func (t *Top) programHead(titles string, lines int) string {
	part := ""
	if n := len(t.programs); n > lines {
		part = fmt.Sprintf("%d to %d of %d", t.scroll+1, t.scroll+min(lines, n-t.scroll), n)
	}
	if n := len(t.programs); n > 0 {
		part += t.filtered()
	}
	return t.styles.head.Render(t.apart(titles, strings.TrimSpace(part)))
}

// filtered names the filter and what it hides.
func (t *Top) filtered() string {
	if t.filter == "" {
		return ""
	}
	return fmt.Sprintf(" with %q, %d without", t.filter, t.unmatched)
}
