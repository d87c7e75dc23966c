package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFormatTensor(t *testing.T) {
	seq := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(i)
		}
		return out
	}
	for _, c := range []struct {
		shape []int
		data  []float64
		want  string
	}{
		{nil, []float64{0.1}, "0.1"},
		{[]int{3}, []float64{1, -2.5, math.NaN()}, "[   1, -2.5,  NaN]"},
		{[]int{2, 2}, []float64{1, 2, 3, 40}, "[[ 1,  2],\n [ 3, 40]]"},
		{[]int{2, 1, 2}, seq(4), "[[[0, 1]],\n\n [[2, 3]]]"},
		{[]int{3, 0}, nil, "[] ([3,0], no entries)"},
		{[]int{1000}, seq(1000), "[  0,   1,   2, ..., 997, 998, 999]"},
		{[]int{500, 2}, seq(1000), "[[  0,   1],\n [  2,   3],\n [  4,   5],\n ...,\n [994, 995],\n [996, 997],\n [998, 999]]"},
	} {
		assert.Equal(t, c.want, formatTensor(c.shape, c.data, 0))
	}
	many := make([]int, 20)
	for i := range many {
		many[i] = 2
	}
	assert.True(t, strings.HasPrefix(formatTensor(many, seq(1<<20), 0), "[...] ("))
}

func TestParseBindings(t *testing.T) {
	got, err := parseBindings("X=X.npy, y = [1,[2]] ,a=-1e3,all.npz,n=NaN")
	assert.NoError(t, err)
	assert.Equal(t, []binding{
		{name: "X", file: "X.npy"}, {name: "y", literal: "[1,[2]]"}, {name: "a", literal: "-1e3"},
		{file: "all.npz"}, {name: "n", file: "NaN"},
	}, got)
	got, err = parseBindings("v=1,-2, 3,a=2,X.npy")
	assert.NoError(t, err)
	assert.Equal(t, []binding{{name: "v", literal: "[1,-2,3]"}, {name: "a", literal: "2"}, {file: "X.npy"}}, got)
	for _, bad := range []string{"", "a=", "=x", "a=1,,b=2", ",", "1,2", "v=[1],2", "X.npy,2"} {
		_, err := parseBindings(bad)
		assert.Error(t, err, bad)
	}
}

func TestParseSizes(t *testing.T) {
	got, err := parseSizes([]string{"m=3, n=4", "k=0"})
	assert.NoError(t, err)
	assert.Equal(t, map[string]int64{"m": 3, "n": 4, "k": 0}, got)
	for _, bad := range []string{"", "m", "m=-1", "=3", "m=x", "m=3;n=4"} {
		_, err := parseSizes([]string{bad})
		assert.Error(t, err, bad)
	}
}
