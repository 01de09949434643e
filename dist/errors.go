package dist

import (
	"fmt"
	"strings"
)

// RankError says that a rank has gone or failed, and why.
type RankError struct {
	Rank int
	Err  error
}

// Error names the rank.
func (e *RankError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, e.Err) }

// Unwrap returns why.
func (e *RankError) Unwrap() error { return e.Err }

// MismatchError says that two ranks called different operations where all have to call the same.
type MismatchError struct {
	Ranks [2]int
	Calls [2]string // what each called: "all_reduce SUM of 3 elements of torch.float32"
	Sites [2]string // where, as file:line
}

// Error names both.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("ranks disagree: rank %d calls %s at %s, rank %d calls %s at %s",
		e.Ranks[0], e.Calls[0], e.Sites[0], e.Ranks[1], e.Calls[1], e.Sites[1])
}

// TimeoutError says that an operation did not end in time. Its group is of no more use.
type TimeoutError struct {
	Call    string
	Site    string // where it was called, or under MPI without Debug where the program waits for it
	Err     error  // context.DeadlineExceeded, or what ended the caller's context
	Missing []int  // the ranks that have not come, but for NCCL alone, which does not know them

	unsure bool // whether they have, and cannot be reached
}

// Error names the operation, its place in the program, and who has not.
func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("%s, called at %s, has not ended: %v", e.Call, e.Site, e.Err)
	switch n := len(e.Missing); {
	case n == 0:
		return text
	case n == 1:
		text += fmt.Sprintf("; rank %d has not called it", e.Missing[0])
	case n > 1:
		text += fmt.Sprintf("; ranks %s have not called it", strings.ReplaceAll(strings.Trim(fmt.Sprint(e.Missing), "[]"), " ", ", "))
	}
	if e.unsure {
		text += ", or cannot be reached"
	}
	return text
}

// Unwrap returns why nobody waits any longer.
func (e *TimeoutError) Unwrap() error { return e.Err }
