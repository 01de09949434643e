//go:build !race

package cli

const raced = false // see race_test.go
