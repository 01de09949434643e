package tenants

import "golang.org/x/sys/windows"

const stillActive = 259 // STILL_ACTIVE

// started returns when a process started, in steps of 100 ns; 0 where it has ended or cannot be seen.
func started(pid int) uint64 {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(process)
	var code uint32
	var creation, exit, kernel, user windows.Filetime
	if windows.GetExitCodeProcess(process, &code) != nil || code != stillActive ||
		windows.GetProcessTimes(process, &creation, &exit, &kernel, &user) != nil {
		return 0
	}
	return uint64(creation.HighDateTime)<<32 | uint64(creation.LowDateTime)
}

// alive reports whether the process that started then still runs; 0 is any time.
func alive(pid int, then uint64) bool {
	now := started(pid)
	return now != 0 && (then == 0 || now == then)
}
