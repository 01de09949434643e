package tui

import (
	"context"
	"io"
	"iter"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// Run shows a model on a terminal and gives it the looks as they come, until the
// model asks to quit or ctx ends, which it returns as ctx's error. However it ends,
// in a panic of the model too, the terminal is as it was. watch is called with a
// context that ends with the view, and Run waits for it.
func Run(ctx context.Context, model tea.Model, watch func(context.Context) iter.Seq[Look], in io.Reader, out io.Writer) error {
	program := tea.NewProgram(model, tea.WithInput(in), tea.WithOutput(out), tea.WithAltScreen(),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics())
	defer context.AfterFunc(ctx, program.Quit)()

	watched, end := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer end()
	watching.Go(func() {
		for look := range watch(watched) {
			program.Send(look)
		}
	})
	defer func() {
		if problem := recover(); problem != nil {
			_ = program.ReleaseTerminal() // the panic is what there is to tell
			program.Kill()
			panic(problem)
		}
	}()
	if _, err := program.Run(); err != nil {
		return err
	}
	return ctx.Err()
}
