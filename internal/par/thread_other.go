//go:build !linux

package par

import "time"

// Elsewhere the system alone decides where threads run.
const canMigrate = false

func threadID() int32             { return 0 }
func cpuTime(int32) time.Duration { return -1 }
func migrateHere(int32)           {}
func migrateAway()                {}
func currentCPU() int             { return 0 }
func yieldCPU()                   {}
