package onnxnode

// reasons tell, by operator or by case, why cresset does not compute it.
var reasons = map[string]string{}
