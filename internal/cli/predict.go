package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"cresset/checkpoint"
	"cresset/data"
	"cresset/device"
	"cresset/nn"
)

type predictCommand struct {
	Model  string        `arg:"" help:"A snapshot of cresset train --save, or the folder of them, of which the most accurate is taken."`
	Files  []string      `arg:"" help:"Pictures in PNG, JPEG or GIF, and folders with IDX files under MNIST's names."`
	Invert bool          `help:"Pictures have dark ink on a bright ground."`
	Device device.Device `default:"cpu" help:"Device to compute on."`
	JSON   bool          `name:"json" help:"Print a JSON object on stdout."`
}

// Help tells what pictures become.
func (c *predictCommand) Help() string {
	return `Prints the class of each picture with its probability, and of each folder how many of its test pictures are classed
rightly. Pictures become gray and as large as those that the model was trained on.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.`
}

// predictions is what cresset predict --json prints.
type predictions struct {
	Model    string       `json:"model"`
	Pictures []prediction `json:"pictures,omitempty"`
	Sets     []judgement  `json:"sets,omitempty"`
}

// prediction is what a model takes a picture for.
type prediction struct {
	File        string  `json:"file"`
	Class       int     `json:"class"`
	Probability float64 `json:"probability"`
}

// judgement is how a model does on a data set.
type judgement struct {
	File     string  `json:"file"`
	Samples  int     `json:"samples"`
	Accuracy float64 `json:"accuracy"`
	Worst    int     `json:"worst_class"`
}

// Run judges the files in order.
func (c *predictCommand) Run(s *session) error {
	p, err := c.load(s)
	if err != nil {
		return err
	}
	out := predictions{Model: p.path}
	for _, file := range c.Files {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		if info.IsDir() {
			j, err := p.set(s, file)
			if err != nil {
				return err
			}
			out.Sets = append(out.Sets, j)
			continue
		}
		pixels, err := readPicture(file, p.like.Height, p.like.Width, c.Invert)
		if err != nil {
			return err
		}
		class, probability := p.class(pixels)
		out.Pictures = append(out.Pictures, prediction{file, class, round(probability, 4)})
	}
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(out)
	}
	return out.print(s.stdout)
}

func (p *predictions) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(p.Pictures) > 0 {
		fmt.Fprintln(t, "PICTURE\tCLASS\tPROBABILITY")
	}
	for _, one := range p.Pictures {
		fmt.Fprintf(t, "%s\t%d\t%.4f\n", printable(one.File), one.Class, one.Probability)
	}
	if len(p.Sets) > 0 {
		fmt.Fprintln(t, "DATA SET\tSAMPLES\tACCURACY\tWORST CLASS")
	}
	for _, one := range p.Sets {
		fmt.Fprintf(t, "%s\t%d\t%.4f\t%d\n", printable(one.File), one.Samples, one.Accuracy, one.Worst)
	}
	return t.Flush()
}

// predictor is a model from a snapshot.
type predictor struct {
	path   string
	net    nn.Module
	like   *data.Images // of the size and the classes that the model was trained on
	device device.Device
}

// load reads the model as the snapshot's settings describe it.
func (c *predictCommand) load(s *session) (*predictor, error) {
	path, err := s.wholeIn(c.Model, checkpoint.KeepHighest(true))
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s has no snapshots", c.Model)
	}
	p := &predictor{path: path}
	state, err := readSnapshot(path)
	if err != nil {
		return nil, err
	}
	of, ok := readForm(state.Dict("config"))
	switch {
	case !ok:
		return nil, untold(p.path)
	case of.model == "gpt":
		return nil, &advice{fmt.Errorf("%s holds a model that writes text", p.path), "cresset generate reads it"}
	}
	p.like = &data.Images{Height: of.height, Width: of.width, Classes: of.classes}
	if p.device, err = place(c.Device); err != nil {
		return nil, err
	}
	if p.net, err = of.build(p.device); err != nil {
		return nil, err
	}
	return p, checkpoint.Load(p.path, p.net, checkpoint.Prefix("model."))
}

// untold is the error of a file whose settings describe no model.
func untold(path string) error {
	return &advice{fmt.Errorf("%s does not tell how its model is made", path), "cresset train --save writes files that do"}
}

// class returns what the model takes a picture for, and how sure it is.
func (p *predictor) class(pixels []uint8) (class int, probability float64) {
	one := *p.like
	one.Pixels, one.Labels = pixels, []uint8{0}
	b, err := one.Batch([]int{0})
	if err != nil {
		panic(err) // there is one picture, number 0
	}
	most, at := nn.Frozen(p.net).Forward(b.Inputs.To(p.device)).Softmax(1).MaxAxis(1)
	return int(at.Item().(int64)), most.Float64()
}

// set judges the test pictures of a folder.
func (p *predictor) set(s *session, dir string) (judgement, error) {
	_, test, err := data.ReadIDXDir(dir)
	if err != nil {
		return judgement{}, err
	}
	if test.Height != p.like.Height || test.Width != p.like.Width || test.Classes > p.like.Classes {
		return judgement{}, fmt.Errorf("%s has %d classes of pictures of %dx%d, and the model was trained on %d of %dx%d", dir,
			test.Classes, test.Height, test.Width, p.like.Classes, p.like.Height, p.like.Width)
	}
	accuracy, classes, err := judge(s.ctx, p.net, test, p.device)
	return judgement{dir, test.Len(), round(accuracy, 4), worst(classes)}, err
}
