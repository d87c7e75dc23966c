package code

import (
	"fmt"
	"regexp"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum/size"
)

var inOctave = &loops{
	spelling:  func(s spelled) string { return s.octave },
	real:      "#",
	end:       ";",
	index:     "#(1 + @)",
	plusInto:  "# = # + @",
	divides:   "mod(#, @) == 0",
	divided:   "(#)/@",
	closing:   "end",
	returns:   true,
	sqrt:      "nan_sqrt",
	power:     "nan_pow(#, @)",
	each:      "for # = $:(@) - 1",
	scalar:    "# = @",
	zero:      "#(:) = 0",
	condition: "if #",
	choose:    "choose($, #, @)",
	weak:      "weak_product(#, [@])",
	spelled:   map[string]string{"isinf": "isinf(#)", "fabs": atom.Abs.Name},
	finish:    finishOctave,
	reserved: strings.Fields(`break case catch continue do else elseif end endfor endfunction endif endswitch endwhile for function global if
		otherwise persistent return switch try unwind_protect until while pi e Inf NaN i j ans result
		sin cos tan asin acos atan sinh cosh tanh exp log log1p expm1 abs erf erfc sqrt sign max min sum prod det lu diag eye zeros any all
		isinf isfinite isnan mod floor ceil round reshape permute repmat numel ndims size double error num2str arrayfun bitget fliplr
		flat unflat axis_size check_shape check_size square nan_log nan_log1p nan_asin nan_acos nan_sqrt nan_pow choose truth gt_ ge_ lt_ le_ eq_ ne_
		larger smaller relu sigmoid logaddexp softplus log1mexp gelu round_even gammaln atan2 unless_zero weak_product any_infinite floor_div ceil_div max_of min_of amax amin logsumexp softmax
		norm2 solve inv logdet minors products`),
}

var definitionOctave = regexp.MustCompile(`^function (?:\w+ = )?(\w+)\(`)

// finishOctave writes the file: the function, then its helpers.
func finishOctave(p *looper) {
	var params []string
	var before, after []string
	for _, v := range p.Params {
		params = append(params, p.names[v.Name()])
	}
	for _, s := range p.symbols {
		if s.param < 0 {
			params = append(params, p.names["size "+s.name])
			continue
		}
		before = append(before, p.sizeOctave(s)...)
	}
	for _, d := range p.differences() {
		before = append(before, fmt.Sprintf(`check_size("%s", %s);`, d, p.size(d)))
	}
	for _, v := range p.Params {
		name := p.names[v.Name()]
		before = append(before, fmt.Sprintf(`check_shape("%s", %s, [%s]);`, v.Name(), name, p.sizeList(v.Shape())), fmt.Sprintf("%s = flat(%s);", name, name))
	}
	for _, at := range p.arrays() {
		before = append(before, fmt.Sprintf("%s = zeros(%s, 1);", p.temp(at), p.volume(p.list[at].Shape)))
	}
	for k, o := range p.outputs {
		name := p.resultName(k)
		if p.result[o] == name {
			before = append(before, fmt.Sprintf("%s = zeros(%s, 1);", name, p.volume(p.list[o].Shape)))
		}
		x := p.array(o)
		if p.isScalar(o) {
			x = p.entry(o, nil)
		}
		after = append(after, fmt.Sprintf("result.%s = unflat(%s, [%s]);", name, x, p.sizeList(p.list[o].Shape)))
	}
	body := strings.Join(append(append(before, p.body...), after...), "\n")
	p.line("function result = %s(%s)", p.Name, strings.Join(params, ", "))
	p.line("  %% %s", strings.ReplaceAll(p.describe("", "Octave"), "\n", "\n  % "))
	p.line("  %% A result without axes is a number, one with one axis a column.")
	for _, l := range before {
		p.line("  %s", l)
	}
	for _, l := range p.body {
		p.line("%s", strings.Replace(l, "    ", "  ", 1))
	}
	for _, l := range after {
		p.line("  %s", l)
	}
	p.line("end")
	for _, h := range helpers([]string{"octave.m"}, asItIs, definitionOctave, body) {
		p.line("\n%s", h)
	}
}

// sizeOctave finds the number of a size symbol.
func (p *looper) sizeOctave(s symbol) []string {
	name, v := p.names["size "+s.name], p.Params[s.param]
	x := fmt.Sprintf(`axis_size("%s", %s, %d, %d)`, v.Name(), p.names[v.Name()], v.Order(), s.axis+1)
	if s.less != (size.Size{}) {
		x = p.plus(x, size.Size{}.Sub(s.less))
	}
	if s.factor != size.Const(1) {
		x = fmt.Sprintf("floor((%s) / max(1, %s))", x, p.size(s.factor))
	}
	return []string{fmt.Sprintf("%s = %s;", name, x), fmt.Sprintf(`check_size("%s", %s);`, s.name, name)}
}

// sizeList is a list of sizes.
func (p *looper) sizeList(sizes []size.Size) string {
	parts := make([]string, len(sizes))
	for i, d := range sizes {
		parts[i] = p.size(d)
	}
	return strings.Join(parts, ", ")
}
