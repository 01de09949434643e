package hub

import "fmt"

// NewLabels returns the names that transformers gives to n classes without names.
func NewLabels(n int) map[string]string {
	labels := make(map[string]string, n)
	for i := range n {
		labels[fmt.Sprint(i)] = fmt.Sprintf("LABEL_%d", i)
	}
	return labels
}
