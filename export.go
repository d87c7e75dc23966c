package frechet

import "frechet/internal/export"

// ExportOptions say for which system a function is printed, how it is called, and which results it returns.
type ExportOptions = export.Options

// Targets lists the systems that functions are printed for.
func Targets() []string { return export.Targets() }

// Code prints one function that returns the values and derivatives of a reply of f. Its arguments are the variables of the
// program, in the order of their declarations, and its sizes are theirs; what results share is computed once. In a derivative
// the axes of the output come first, then those of the variables. An error of code R002 says that the target cannot state it.
func (f *Func) Code(r *Reply, o ExportOptions) (string, error) { return export.Code(f.prog, r, o) }
