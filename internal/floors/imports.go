package floors

import (
	"fmt"
	"strings"
)

// importFault returns why pkg may not import path, or "".
func importFault(pkg, path string) string {
	if path == module {
		return "the root has no package"
	}
	to, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		return outsideFault(pkg, path)
	}
	switch from := kindOf(pkg); {
	case kindOf(to) == unknown:
		return fmt.Sprintf("%s stands on no floor: name it in internal/floors first", to)
	case from == showcase:
		if within(to, "internal") || kindOf(to) == showcase {
			return "examples and documentation use the public packages only"
		}
		return ""
	case kindOf(to) == showcase:
		return "examples and documentation are nobody's import"
	case from == writer || kindOf(to) == writer:
		if from == kindOf(to) {
			return ""
		}
		return generator + " writes code before the build: it imports no other package, and none imports it"
	case kindOf(to) == helper:
		if from == helper {
			return ""
		}
		return to + " supports tests: only they and its like import it"
	case from == helper:
		if row, _, _ := place(to); row == programs {
			return "test support sees what lies below the programs"
		}
		return ""
	}
	return floorFault(pkg, to)
}

func floorFault(pkg, to string) string {
	row, column, _ := place(pkg)
	toRow, toColumn, _ := place(to)
	if toRow < row || toRow == row && toColumn < column {
		return ""
	}
	if toRow == row {
		return fmt.Sprintf("%s stands right of %s on floor %d, and a package sees only what is left of it", to, pkg, row)
	}
	return fmt.Sprintf("%s is on floor %d and %s on floor %d, and a package sees only lower ones", to, toRow, pkg, row)
}

// outsideFault judges imports of the standard library, which is free to all, and of other modules.
func outsideFault(pkg, path string) string {
	host, _, _ := strings.Cut(path, "/")
	if !strings.Contains(host, ".") {
		return ""
	}
	for prefix, users := range outside {
		if !within(path, prefix) {
			continue
		}
		switch {
		case withinAny(pkg, users):
			return ""
		case len(users) == 0:
			return prefix + " is for tests"
		}
		return fmt.Sprintf("%s is for %s", prefix, strings.Join(users, ", "))
	}
	return "this module is not among those that the project stands on"
}
