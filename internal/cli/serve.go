package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/serve"
	"cresset/models"
	"cresset/models/bert"
	"cresset/text/generation"
	"cresset/text/serving"
)

type serveCommand struct {
	Model       string        `arg:"" help:"Folder of a model with config.json, weights and tokenizer.json, as Hugging Face's transformers writes it, or of cresset train --model gpt --save, of which the best snapshot is taken, or one of these."`
	Listen      string        `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Address to listen on; port 0 takes a free one. Others than this machine reach it only if told, as by 0.0.0.0:8080."`
	Name        string        `placeholder:"NAME" help:"What clients call the model; the last part of its path unless given."`
	TokenFile   string        `placeholder:"FILE" help:"File with the token that clients have to show; without it that of the environment variable CRESSET_TOKEN, if any."`
	Device      device.Device `default:"cpu" help:"Device to compute on."`
	DType       *dtype.DType  `name:"dtype" placeholder:"TYPE" help:"float64, float32, float16 or bfloat16; that of the model's folder unless given."`
	Quantize    string        `enum:",int8,int8-dynamic,int4,int4-64,int4-32" default:"" placeholder:"FORM" help:"Make the weights of linear layers int8, int8 with inputs of int8 (int8-dynamic), or int4 in groups of 128 (int4), 64 or 32, as they are read; the CPU alone computes with them."`
	Sequences   int           `default:"32" placeholder:"N" help:"Texts that are written at once."`
	StepTokens  int           `default:"256" placeholder:"N" help:"Tokens that a step reads: longer prompts are read in parts, between which other texts go on."`
	Compile     bool          `help:"Compile the steps in which all texts get a token: what follows each other element by element is one kernel."`
	Graph       bool          `help:"On a GPU, do each step in which all texts get a token by one launch, as a graph."`
	CacheTokens int           `default:"0" placeholder:"N" help:"Tokens whose keys and values are kept; 0: as many as can be needed, within 1 GiB."`
	Queue       int           `default:"256" placeholder:"N" help:"Requests that wait; further ones get status 429."`
	QueueTime   time.Duration `default:"1m" placeholder:"TIME" help:"The longest wait."`
	MaxTokens   int           `default:"0" placeholder:"N" help:"Tokens of an answer at most; 0: as many as the model has positions for."`
	MaxBody     int           `default:"1048576" placeholder:"BYTES" help:"The largest request."`
	Timeout     time.Duration `default:"10m" placeholder:"TIME" help:"Time of a request."`
	Grace       time.Duration `default:"1m" placeholder:"TIME" help:"How long requests that are under way may go on behind a signal to end."`
}

// Help tells what is answered.
func (c *serveCommand) Help() string {
	return `Answers POST /v1/completions, /v1/chat/completions and, with a BERT, /v1/embeddings, and GET /v1/models, /health and /metrics, as clients of
this interface expect: docs/serving.md.

SIGTERM or Ctrl-C ends it when the requests that are under way have their answers, or the model is read; a second one at once.

Exit codes: 0 ended by a signal, 1 failed, or requests were cut off, 2 wrong usage.`
}

// Validate refuses figures that make no sense; package flags calls it.
func (c *serveCommand) Validate() error {
	for name, v := range map[string]int{"sequences": c.Sequences, "step-tokens": c.StepTokens, "queue": c.Queue, "max-body": c.MaxBody} {
		if v < 1 {
			return fmt.Errorf("--%s must be at least 1, not %d", name, v)
		}
	}
	for name, v := range map[string]int{"cache-tokens": c.CacheTokens, "max-tokens": c.MaxTokens} {
		if v < 0 {
			return fmt.Errorf("--%s must not be negative, not %d", name, v)
		}
	}
	for name, v := range map[string]time.Duration{"queue-time": c.QueueTime, "timeout": c.Timeout, "grace": c.Grace} {
		if v <= 0 {
			return fmt.Errorf("--%s must be a time of more than 0, not %v", name, v)
		}
	}
	if c.Graph && !c.Device.IsCUDA() {
		return noGraph(c.Device)
	}
	if c.DType != nil && !c.DType.IsFloat() {
		return fmt.Errorf("--dtype must be float64, float32, float16 or bfloat16, not %s", c.DType.Name())
	}
	return nil
}

// Run serves the model until a signal comes.
func (c *serveCommand) Run(s *session) error {
	token, err := c.token()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Listen) // first, so that an address in use is told before a model is read
	if err != nil {
		return err
	}
	defer listener.Close()
	server, err := c.server(s)
	if err != nil {
		return err
	}
	server.Token = token
	if s.ctx.Err() != nil { // while the model was read
		return nil
	}
	if at, ok := listener.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() && token == "" {
		fmt.Fprintln(s.stderr, "cresset: whoever reaches this address may ask: --token-file keeps others off")
	}
	s.simulated(c.Device)
	fmt.Fprintf(s.stdout, "serving %s on http://%s/v1\n", server.Name, listener.Addr())
	err = server.Serve(s.ctx, listener, c.Grace)
	if server.Engine != nil {
		server.Engine.Close()
	}
	return err
}

// token returns what clients have to show; "" for nothing.
func (c *serveCommand) token() (string, error) {
	if c.TokenFile == "" {
		return os.Getenv("CRESSET_TOKEN"), nil
	}
	text, err := os.ReadFile(c.TokenFile)
	if token := strings.TrimSpace(string(text)); err != nil || token != "" {
		return token, err
	}
	return "", fmt.Errorf("%s is empty, where a token is expected", c.TokenFile)
}

// server reads the model.
func (c *serveCommand) server(s *session) (*serve.Server, error) {
	server := &serve.Server{Name: c.Name, Limits: serve.Limits{Body: int64(c.MaxBody), Tokens: c.MaxTokens, Time: c.Timeout}}
	if server.Name == "" {
		path, err := filepath.Abs(c.Model)
		if err != nil {
			return nil, err
		}
		server.Name = filepath.Base(path)
	}
	m, err := c.read(s, server)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case models.Decoder:
		server.Engine, err = serving.New(m, serving.Options{
			Sequences: c.Sequences, StepTokens: c.StepTokens, Queue: c.Queue, Wait: c.QueueTime, CacheTokens: c.CacheTokens, Compile: c.Compile, Graph: c.Graph,
		})
	case *bert.Model:
		server.Encoder, err = serve.NewEncoder(m, c.Model, c.Queue)
	default:
		err = fmt.Errorf("%s: a %T neither writes texts nor makes vectors of them", c.Model, m)
	}
	return server, err
}

// read reads a folder of Hugging Face or a snapshot, with its tokenizer and how it usually writes.
func (c *serveCommand) read(s *session, server *serve.Server) (models.Model, error) {
	if _, err := os.Stat(filepath.Join(c.Model, "config.json")); errors.Is(err, fs.ErrNotExist) {
		l, err := s.languageModel(c.Model, c.Device, c.DType, c.Quantize)
		if err != nil {
			return nil, err
		}
		server.Words, server.Usual = l.words, l.usual
		return l.model, nil
	}
	m, words, err := readHub(c.Model, c.Device, c.DType, c.Quantize)
	if err != nil {
		return nil, err
	}
	server.Words = words
	if _, writes := m.(models.Decoder); writes {
		server.Usual, err = generation.ReadOptions(c.Model)
	}
	return m, err
}
