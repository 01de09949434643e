package optim

// figures are the hyperparameters of all optimizers.
type figures struct {
	lr, weightDecay     float64
	momentum, dampening float64
	nesterov, maximize  bool
	betas               [2]float64
	eps                 float64
	decoupled           bool // weight decay shrinks the parameter itself
	amsgrad             bool

	alpha         float64 // RMSprop, ASGD
	centered      bool
	rho           float64 // Adadelta
	lrDecay       float64 // Adagrad
	accumulator   float64
	momentumDecay float64    // NAdam
	etas, sizes   [2]float64 // Rprop
	lambd, t0     float64    // ASGD

	betaDecay, eps2, clip float64 // Adafactor
	ownEps                bool    // of eps; else it is that of the dtype

	coefficients []float64 // Muon
	steps        int
	adjust       Adjust

	iterations, evaluations, history int // LBFGS
	tolerance, progress              float64
	wolfe                            bool

	groups []chosen
}
