// Command server answers HTTP requests with the digits that a model sees in pictures.
//
//	go run ./examples/server -addr localhost:8080
//	curl localhost:8080/healthz
//	curl -d '{"pixels": [0, 0, 128, ...]}' localhost:8080/predict
//
// Requests that arrive together are computed together, as batches, by workers that share one frozen model. On SIGTERM the
// server takes no more requests, answers those that it has, and ends.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"cresset/cuda"
	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "address to listen on; port 0 takes a free one")
	samples := flag.Int("samples", 4000, "pictures that the model learns from before it serves")
	o := options{workers: runtime.GOMAXPROCS(0), timeout: 2 * time.Second, grace: 10 * time.Second}
	flag.IntVar(&o.batch, "batch", 32, "requests in a batch at most")
	flag.DurationVar(&o.wait, "wait", 2*time.Millisecond, "how long the first request of a batch waits for others")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *samples, o); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// options are the limits of a server.
type options struct {
	batch   int           // requests in a batch at most
	wait    time.Duration // how long the first request of a batch waits for others
	workers int           // batches computed at once
	timeout time.Duration // how long a request may take in all
	grace   time.Duration // how long requests that are under way may take once the server is to end
}

func run(ctx context.Context, addr string, samples int, o options) error {
	listener, err := net.Listen("tcp", addr) // first, so that a port in use is told before the training
	if err != nil {
		return err
	}
	dev := cuda.TryGPU(0)
	model, err := train(ctx, samples, dev)
	if err != nil {
		listener.Close()
		return err
	}
	fmt.Printf("serving on http://%s, computing on %s\n", listener.Addr(), dev)
	return serve(ctx, listener, newPredictor(model, dev, o), o)
}

// serve answers requests until ctx ends, and then those that it has.
func serve(ctx context.Context, listener net.Listener, p *predictor, o options) error {
	server := &http.Server{
		Handler: handler(p, o.timeout),
		// A client that is slow or silent must not keep a connection for ever.
		ReadHeaderTimeout: o.timeout,
		ReadTimeout:       2 * o.timeout,
		WriteTimeout:      4 * o.timeout,
		IdleTimeout:       time.Minute,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()

	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		// The context of the requests is not ctx: they go on while Shutdown waits for them.
		limit, cancel := context.WithTimeout(context.Background(), o.grace)
		err = server.Shutdown(limit)
		cancel()
		<-failed
	}
	p.close() // after the last handler: nobody asks any more
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// train returns a model of digits. A real server would load one.
func train(ctx context.Context, samples int, dev device.Device) (nn.Module, error) {
	tensor.ManualSeed(0)
	model := nn.To(nn.NewSequential(nn.NewFlatten(), nn.NewLinear(pixels, 64), nn.NewReLU(), nn.NewLinear(64, 10)), dev)
	opt := optim.NewAdam(nn.Parameters(model), optim.LR(2e-3))
	pictures := data.Glyphs(data.Count(samples))
	for range 5 {
		for batch, err := range data.NewLoader(pictures, data.BatchSize(50), data.Shuffle(true), data.Scopes(true)).All(ctx) {
			if err != nil {
				return nil, err
			}
			opt.ZeroGrad()
			tensor.CrossEntropy(model.Forward(batch.Inputs.To(dev)), batch.Targets.To(dev)).Backward()
			opt.Step()
		}
	}
	return model, nil
}
