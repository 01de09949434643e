package cuda

import "os"

const visibleVariable = "CUDA_VISIBLE_DEVICES"

// ErrStarted is the refusal to change which GPUs are visible after the driver has looked.
const ErrStarted = pyError("cuda: the visible devices cannot change after the program has looked for GPUs; set them at the start of the program")

// SetVisible says which GPUs the process sees, in the words of CUDA_VISIBLE_DEVICES; keep leaves an inherited value alone.
func SetVisible(list string, keep bool) error {
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.looked {
		return ErrStarted
	}
	if _, inherited := os.LookupEnv(visibleVariable); inherited && keep {
		return nil
	}
	return os.Setenv(visibleVariable, list) // purego hands it on to C
}
