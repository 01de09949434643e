package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"cresset/cuda"
	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// TestMain gives the tests a GPU, simulated unless the environment says otherwise.
func TestMain(m *testing.M) {
	if _, set := os.LookupEnv("CRESSET_SIM"); !set {
		os.Setenv("CRESSET_SIM", "gtx1070")
		os.Setenv("CRESSET_SIM_STATE", "off")
	}
	os.Exit(m.Run())
}

// untrained returns a model that is as quick as it is ignorant.
func untrained(dev device.Device) nn.Module {
	tensor.ManualSeed(0)
	return nn.To(nn.NewSequential(nn.NewFlatten(), nn.NewLinear(pixels, 10)), dev)
}

// pictures returns bodies of requests.
func pictures(t *testing.T, n int) [][]byte {
	t.Helper()
	images := data.Glyphs(data.Train(false), data.Count(n))
	var bodies [][]byte
	for i := range n {
		shades, _ := images.At(i)
		numbers := make([]int, len(shades)) // JSON writes bytes as text
		for k, v := range shades {
			numbers[k] = int(v)
		}
		body, err := json.Marshal(map[string]any{"pixels": numbers})
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// ask sends a request and returns the status, the answer or the text of the error.
func ask(t *testing.T, url string, body []byte) (int, prediction, string) {
	response, err := http.Post(url+"/predict", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, prediction{}, ""
	}
	defer response.Body.Close()
	var got struct {
		prediction
		Error string
	}
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Error(err)
	}
	return response.StatusCode, got.prediction, got.Error
}

// start runs a server for a test.
func start(t *testing.T, model nn.Module, dev device.Device, o options) (*predictor, string) {
	t.Helper()
	p := newPredictor(model, dev, o)
	server := httptest.NewServer(handler(p, o.timeout))
	t.Cleanup(func() { server.Close(); p.close() })
	return p, server.URL
}

// TestTogetherAsAlone wants the same answers from requests that come at once as from requests that come one by one, on the CPU
// and on a GPU.
func TestTogetherAsAlone(t *testing.T) {
	for _, c := range []struct {
		dev      device.Device
		pictures int
	}{{device.CPU, 48}, {cuda.TryGPU(0), 8}} {
		dev, bodies := c.dev, pictures(t, c.pictures)
		t.Run(dev.String(), func(t *testing.T) {
			_, url := start(t, untrained(dev), dev, options{batch: 4, wait: time.Millisecond, workers: 3, timeout: time.Minute})
			alone := make([]prediction, len(bodies))
			for i, body := range bodies {
				_, alone[i], _ = ask(t, url, body)
			}
			var clients sync.WaitGroup
			for i, body := range bodies {
				clients.Go(func() {
					status, got, text := ask(t, url, body)
					off := math.Abs(float64(got.Probability - alone[i].Probability))
					if status != http.StatusOK || got.Digit != alone[i].Digit || off > 1e-6 || got.Probability == 0 {
						t.Errorf("picture %d: %d %v %q, alone %v", i, status, got, text, alone[i])
					}
				})
			}
			clients.Wait()
		})
	}
}

// TestBatchesForm lets batches wait so long that only a full one can be computed.
func TestBatchesForm(t *testing.T) {
	p, url := start(t, untrained(device.CPU), device.CPU, options{batch: 6, wait: time.Hour, workers: 2, timeout: time.Minute})
	var clients sync.WaitGroup
	for _, body := range pictures(t, 12) {
		clients.Go(func() { ask(t, url, body) })
	}
	clients.Wait()
	if requests, batches := p.requests.Load(), p.batches.Load(); requests != 12 || batches != 2 {
		t.Errorf("%d requests in %d batches, want 12 in 2", requests, batches)
	}
	response, err := http.Get(url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	const want = `{"batches":2,"device":"cpu","requests":12,"status":"ok"}` + "\n"
	if got, err := io.ReadAll(response.Body); string(got) != want || err != nil {
		t.Errorf("/healthz says %s (%v), want %s", got, err, want)
	}
}

// TestMemoryStaysFlat counts what tensors hold on the GPU between requests.
func TestMemoryStaysFlat(t *testing.T) {
	dev := cuda.TryGPU(0)
	if !dev.IsCUDA() {
		t.Skip("there is no GPU")
	}
	_, url := start(t, untrained(dev), dev, options{batch: 4, workers: 2, timeout: time.Minute})
	body := pictures(t, 1)[0]
	ask(t, url, body) // makes what is kept
	held := cuda.MemoryAllocated(0)
	for range 5 {
		ask(t, url, body)
	}
	if now := cuda.MemoryAllocated(0); now > held {
		t.Errorf("%d bytes after 5 requests, %d before", now, held)
	}
}

func TestBadInput(t *testing.T) {
	_, url := start(t, untrained(device.CPU), device.CPU, options{batch: 1, workers: 1, timeout: time.Minute})
	zeros := strings.Repeat("0,", pixels-1)
	for _, c := range []struct {
		name, body string
		status     int
		text       string
	}{
		{"nothing", "", 400, `the body has to be {"pixels": [...]}: EOF`},
		{"no JSON", "seven", 400, `the body has to be {"pixels": [...]}: invalid character 's' looking for beginning of value`},
		{"another field", `{"pixel": [1]}`, 400, `the body has to be {"pixels": [...]}: json: unknown field "pixel"`},
		{"two pictures", `{"pixels": [` + zeros + `0]} {}`, 400, "the body goes on behind the picture"},
		{"too few", `{"pixels": [1, 2]}`, 400, "pixels: got 2 numbers, want 784: 28 rows of 28"},
		{"too bright", `{"pixels": [` + zeros + `256]}`, 400, "pixels[783] is 256, want 0 to 255"},
		{"too large", `{"pixels": [` + strings.Repeat(" ", maxBody) + `]}`, 413, "the body is larger than 65536 bytes"},
	} {
		if status, _, text := ask(t, url, []byte(c.body)); status != c.status || text != c.text {
			t.Errorf("%s: %d %q, want %d %q", c.name, status, text, c.status, c.text)
		}
	}
	response, err := http.Get(url + "/predict")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET /predict: %d", response.StatusCode)
	}
}

// TestModelFails wants an error where the model cannot answer, and a server that goes on.
func TestModelFails(t *testing.T) {
	nan := nn.NewLinear(pixels, 10)
	nan.Weight.Detach().FillInPlace(math.NaN())
	for _, c := range []struct {
		model nn.Module
		text  string
	}{
		{nn.NewSequential(nn.NewFlatten(), nn.NewLinear(5, 10)), "mat1 and mat2 shapes cannot be multiplied (1x784 and 5x10)"},
		{nn.NewSequential(nn.NewFlatten(), nan), "the answer is not a number"},
	} {
		_, url := start(t, c.model, device.CPU, options{batch: 1, workers: 1, timeout: time.Minute})
		for range 2 {
			if status, _, text := ask(t, url, pictures(t, 1)[0]); status != http.StatusInternalServerError || text != c.text {
				t.Errorf("%d %q, want 500 %q", status, text, c.text)
			}
		}
	}
}

// gate is a model that waits until it may go on.
type gate struct{ entered, open chan struct{} }

func (g gate) Forward(x *tensor.Tensor) *tensor.Tensor {
	g.entered <- struct{}{}
	<-g.open
	return tensor.Zeros(x.Size(0), 10)
}

// TestTooBusy wants an answer in time also where the model takes longer.
func TestTooBusy(t *testing.T) {
	g := gate{make(chan struct{}, 9), make(chan struct{})}
	_, url := start(t, g, device.CPU, options{batch: 1, workers: 1, timeout: 20 * time.Millisecond})
	status, _, text := ask(t, url, pictures(t, 1)[0])
	close(g.open)
	if status != http.StatusServiceUnavailable || text != "too busy to answer in time: try again" {
		t.Errorf("%d %q", status, text)
	}
}

// TestShutdownAnswersWhatIsUnderWay stops a server while its model computes.
func TestShutdownAnswersWhatIsUnderWay(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	g := gate{make(chan struct{}, 9), make(chan struct{})}
	o := options{batch: 1, workers: 1, timeout: time.Minute, grace: time.Minute}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, newPredictor(g, device.CPU, o), o) }()

	answered := make(chan string, 1)
	body := pictures(t, 1)[0]
	go func() {
		status, got, text := ask(t, url, body)
		answered <- fmt.Sprint(status, got, text)
	}()
	<-g.entered
	stop()
	for refused := false; !refused; { // until the port is closed
		c, err := net.Dial("tcp", listener.Addr().String())
		if refused = err != nil; !refused {
			c.Close()
		}
	}
	close(g.open)
	if got, want := <-answered, "200 {0 0.1}"; got != want {
		t.Errorf("the request under way got %q, want %q", got, want)
	}
	if err := <-ended; err != nil {
		t.Errorf("serve: %v", err)
	}
}
