// Package filelock locks files for one program at a time, by locks of the kernel: a program that is killed leaves nothing behind.
package filelock
