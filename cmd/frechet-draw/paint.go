package main

import (
	"encoding/json"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// A layout is what Graphviz writes as JSON: the drawing operations of the graph, its nodes and its edges.
type layout struct {
	Box     string `json:"bb"`
	Objects []item `json:"objects"`
	Edges   []item `json:"edges"`
}

type item struct {
	Draw  []operation `json:"_draw_"`
	Label []operation `json:"_ldraw_"`
	Head  []operation `json:"_hdraw_"`
}

// An operation is one of xdot's: e and E an ellipse, p and P a polygon, b a curve, L lines, T a text, c and C colours, F a font.
type operation struct {
	Op     string       `json:"op"`
	Rect   [4]float64   `json:"rect"` // the centre and the radii
	Points [][2]float64 `json:"points"`
	Color  string       `json:"color"`
	Size   float64      `json:"size"`
	At     [2]float64   `json:"pt"`
	Text   string       `json:"text"`
}

const margin, dpi = 4, 144 // a margin in points, and dots in an inch

// A painter draws operations.
type painter struct {
	*vgimg.Canvas
	pen, fill color.Color
	face      font.Face
	fonts     *font.Cache
}

// paint draws a layout as PNG.
func paint(src []byte, out io.Writer) error {
	var l layout
	if err := json.Unmarshal(src, &l); err != nil {
		return err
	}
	var x, y, width, height float64
	if _, err := fmt.Sscanf(l.Box, "%f,%f,%f,%f", &x, &y, &width, &height); err != nil {
		return fmt.Errorf("a layout without a box: %w", err)
	}
	p := &painter{fonts: font.NewCache(liberation.Collection()),
		Canvas: vgimg.NewWith(vgimg.UseWH(vg.Length(width+2*margin), vg.Length(height+2*margin)), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))}
	p.Translate(vg.Point{X: margin, Y: margin})
	for _, i := range append(l.Edges, l.Objects...) {
		for _, ops := range [][]operation{i.Draw, i.Head, i.Label} {
			p.pen, p.fill = color.Black, color.Black
			for _, o := range ops {
				p.operation(o)
			}
		}
	}
	_, err := vgimg.PngCanvas{Canvas: p.Canvas}.WriteTo(out)
	return err
}

func (p *painter) operation(o operation) {
	var path vg.Path
	at := func(i int) vg.Point { return vg.Point{X: vg.Length(o.Points[i][0]), Y: vg.Length(o.Points[i][1])} }
	switch o.Op {
	case "c":
		p.pen = colour(o.Color)
	case "C":
		p.fill = colour(o.Color)
	case "F":
		p.face = p.fonts.Lookup(font.Font{Variant: "Mono"}, vg.Length(o.Size))
	case "T":
		w := p.face.Width(o.Text)
		p.SetColor(p.pen)
		p.FillString(p.face, vg.Point{X: vg.Length(o.At[0]) - w/2, Y: vg.Length(o.At[1])}, o.Text)
	case "e", "E":
		const k = 0.5522847498 // a quarter of a circle as a curve
		x, y, rx, ry := vg.Length(o.Rect[0]), vg.Length(o.Rect[1]), vg.Length(o.Rect[2]), vg.Length(o.Rect[3])
		to := func(a, b vg.Length) vg.Point { return vg.Point{X: x + a*rx, Y: y + b*ry} }
		path.Move(to(1, 0))
		path.CubeTo(to(1, k), to(k, 1), to(0, 1))
		path.CubeTo(to(-k, 1), to(-1, k), to(-1, 0))
		path.CubeTo(to(-1, -k), to(-k, -1), to(0, -1))
		path.CubeTo(to(k, -1), to(1, -k), to(1, 0))
		path.Close()
	case "p", "P", "L":
		path.Move(at(0))
		for i := range o.Points[1:] {
			path.Line(at(i + 1))
		}
		if o.Op != "L" {
			path.Close()
		}
	case "b":
		path.Move(at(0))
		for i := 1; i+2 < len(o.Points); i += 3 {
			path.CubeTo(at(i), at(i+1), at(i+2))
		}
	}
	if len(path) == 0 {
		return
	}
	if o.Op == "E" || o.Op == "P" {
		p.SetColor(p.fill)
		p.Fill(path)
	}
	p.SetColor(p.pen)
	p.SetLineWidth(1)
	p.Stroke(path)
}

// colour reads #rrggbb and #rrggbbaa.
func colour(s string) color.Color {
	c := color.NRGBA{A: math.MaxUint8}
	if n, _ := fmt.Sscanf(s, "#%02x%02x%02x%02x", &c.R, &c.G, &c.B, &c.A); n < 3 {
		return color.Black
	}
	return c
}
