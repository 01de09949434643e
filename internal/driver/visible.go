package driver

import (
	"slices"
	"strings"
)

// Visible reads a value of CUDA_VISIBLE_DEVICES for devices with the given UUIDs and returns the ordinals of those that it
// leaves, in its order. The first element that names no device hides the rest; one that is named twice hides all.
func Visible(list string, uuids []string) []int {
	switch {
	case strings.HasPrefix(list, "MIG-"):
		return nil // which are no devices with ordinals
	case strings.HasPrefix(list, "GPU-"):
		return visibleByUUID(strings.Split(list, ","), uuids)
	}
	ordinals := Ordinals(list)
	for i, n := range ordinals {
		if n >= len(uuids) {
			return ordinals[:i]
		}
	}
	return ordinals
}

// Ordinals reads a list of numbers up to the first element that is none; it is empty where one stands twice.
func Ordinals(list string) (ordinals []int) {
	for part := range strings.SplitSeq(list, ",") {
		n := parseOrdinal(strings.TrimSpace(part))
		if n < 0 {
			break
		}
		if slices.Contains(ordinals, n) {
			return nil
		}
		ordinals = append(ordinals, n)
	}
	return ordinals
}

// parseOrdinal reads a number as C's strtoul does, ignoring what follows it, and returns -1 where there is none.
func parseOrdinal(s string) int {
	sign := 1
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign = int(',') - int(s[0]) // the comma stands between the two in ASCII
		s = s[1:]
	}
	const huge = 1 << 20 // more than any machine's devices
	n, digits := 0, 0
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		n = min(10*n+int(s[digits]-'0'), huge)
		digits++
	}
	if digits == 0 {
		return -1
	}
	return sign * n
}

// visibleByUUID reads beginnings of UUIDs, each of which only one device may have.
func visibleByUUID(list, uuids []string) (ordinals []int) {
	var named []string
	for _, prefix := range list {
		if !strings.HasPrefix(prefix, "GPU-") {
			break
		}
		if slices.Contains(named, prefix) {
			return nil
		}
		named = append(named, prefix)
	}
	for _, prefix := range named {
		i, ok := uniquePrefix(prefix, uuids)
		if !ok {
			break
		}
		if slices.Contains(ordinals, i) {
			return nil
		}
		ordinals = append(ordinals, i)
	}
	return ordinals
}

func uniquePrefix(prefix string, uuids []string) (index int, ok bool) {
	for i, id := range uuids {
		if strings.HasPrefix(id, prefix) {
			if ok {
				return 0, false
			}
			index, ok = i, true
		}
	}
	return index, ok
}
