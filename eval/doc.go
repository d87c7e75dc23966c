// Package eval computes with numbers: dense tensors, a reference interpreter that follows
// the definitions, a fast evaluator, and checks of derivatives.
package eval
