# The entries of an argument, row by row.
function flat(name, x, shape)
    size(x) == shape || error("$name has the size $(size(x)), but $shape is declared")
    return vec(Float64.(x isa Number ? [x] : permutedims(x, ndims(x):-1:1)))
end


# The array of a shape with the entries x, row by row.
unflat(x, shape) = shape == () ? x[1] : permutedims(reshape(x, reverse(shape)), length(shape):-1:1)


function axis_size(name, x, order, axis)
    ndims(x) == order || error("$name has $(ndims(x)) axes, but $order are declared")
    return size(x, axis)
end


function check_size(name, n)
    n >= 0 || error("the size $name = $n is negative")
end


square(x) = x * x


# Functions of Julia throw where those of the C library are NaN.
nan_sin(x) = isinf(x) ? NaN : sin(x)


nan_cos(x) = isinf(x) ? NaN : cos(x)


nan_tan(x) = isinf(x) ? NaN : tan(x)


nan_asin(x) = abs(x) > 1 ? NaN : asin(x)


nan_acos(x) = abs(x) > 1 ? NaN : acos(x)


nan_log(x) = x < 0 ? NaN : log(x)


nan_log1p(x) = x < -1 ? NaN : log1p(x)


nan_sqrt(x) = x < 0 ? NaN : sqrt(x)


nan_pow(x, y) = x < 0 && isfinite(y) && y != round(y) ? NaN : float(x)^y


# 1 where a comparison of x and y holds, 0 elsewhere, NaN where one of them is NaN.
truth(holds, x, y) = isnan(x) || isnan(y) ? NaN : holds ? 1.0 : 0.0


gt_(x, y) = truth(x > y, x, y)


ge_(x, y) = truth(x >= y, x, y)


lt_(x, y) = truth(x < y, x, y)


le_(x, y) = truth(x <= y, x, y)


eq_(x, y) = truth(x == y, x, y)


ne_(x, y) = truth(x != y, x, y)


larger(x, y) = x > y || isnan(x) ? x : y


smaller(x, y) = x < y || isnan(x) ? x : y


relu(x) = x < 0 ? 0.0 : x


function sigmoid(x)
    e = exp(-abs(x))
    return (x < 0 ? e : 1.0) / (1.0 + e)
end


logaddexp(x, y) = x == y ? x + log(2.0) : x > y ? x + log1p(exp(y - x)) : x < y ? y + log1p(exp(x - y)) : NaN


softplus(x) = logaddexp(0.0, x)


gelu(x) = 0.5 * x * erfc(-sqrt(0.5) * x)


log1mexp(x) = x > 0 ? NaN : x > -log(2.0) ? log(-expm1(x)) : log1p(-exp(x))


# The logarithm of |gamma(x)|, which has poles at 0, -1, ...
lgamma(x) = x <= 0 && x == floor(x) ? Inf : logabsgamma(x)[1]


# 0 where x is 0, else y.
unless_zero(x, y) = x == 0 ? 0.0 : y


# The product of factors; where one whose bit is set in weak is infinite and the others are exactly 0, it is 0.
function weak_product(weak, factors)
    infinite, others = 1.0, 1.0
    for (i, x) in enumerate(factors)
        if isodd(weak >> (i - 1)) && isinf(x)
            infinite *= x
        else
            others *= x
        end
    end
    return others == 0 && infinite != 1 ? 0.0 : infinite * others
end


any_infinite(n, x) = any(isinf, x)


# The maximum of each of m rows of n numbers, -Inf over nothing.
amax(m, n, x) = [foldl((a, b) -> larger(a, b), view(x, i*n+1:(i+1)*n); init = -Inf) for i in 0:m-1]


amin(m, n, x) = -amax(m, n, -x)


# log(sum(exp(x))) of each of m rows of n numbers, without overflow.
function logsumexp(m, n, x)
    y = amax(m, n, x)
    for i in 0:m-1
        if isfinite(y[i+1])
            y[i+1] += log(sum(v -> exp(v - y[i+1]), view(x, i*n+1:(i+1)*n)))
        end
    end
    return y
end


# exp(x) over its sum, in each of m rows of n numbers.
function softmaxes(m, n, x)
    y, top = zeros(m * n), amax(m, n, x)
    for i in 0:m-1
        row = i*n+1:(i+1)*n
        y[row] .= exp.(view(x, row) .- top[i+1])
        y[row] ./= sum(view(y, row))
    end
    return y
end


# The root of the sum of squares, which neither overflow nor underflow.
norm2(n, x) = norm(x)


# a b, where a is m by k, or its transpose, and b is k by n, or its transpose. A matrix row by row is its transpose column by column.
function matmul(m, n, k, a_turned, b_turned, a, b, z)
    x = a_turned ? transpose(reshape(a, m, k)) : reshape(a, k, m)
    y = b_turned ? transpose(reshape(b, k, n)) : reshape(b, n, k)
    mul!(reshape(z, n, m), y, x)
end


# a^-1 b for m matrices a of n by n and b of n by k; NaN where a is singular.
function solutions(m, n, k, a, b)
    x = fill(NaN, m * n * k)
    for t in 0:m-1
        f = lu(transpose(reshape(a[t*n*n+1:(t+1)*n*n], n, n)); check = false)
        if issuccess(f)
            x[t*n*k+1:(t+1)*n*k] = vec(transpose(f \ collect(transpose(reshape(b[t*n*k+1:(t+1)*n*k], k, n)))))
        end
    end
    return x
end


# The inverses of m matrices of n by n; NaN where one is singular.
inverses(m, n, a) = solutions(m, n, n, a, repeat([Float64(i == j) for i in 1:n for j in 1:n], m))


# log(det(a)) of m matrices of n by n; NaN where the determinant is not positive.
function logdets(m, n, a)
    y = zeros(m)
    for t in 0:m-1
        f = lu(reshape(a[t*n*n+1:(t+1)*n*n], n, n); check = false)
        y[t+1] = issuccess(f) && det(f) > 0 ? sum(log(abs(f.factors[i, i])) for i in 1:n; init = 0.0) : NaN
    end
    return y
end


# The k-th derivatives of det at m matrices of n by n, with axes row, column, row, column, .. An entry is the determinant
# without the rows and columns, with a sign, and 0 where one stands twice.
function minors(m, n, k, a)
    entries = n^(2k)
    y = zeros(m * entries)
    for e in 0:m*entries-1
        at = [div(mod(e, entries), n^(2k - i)) % n for i in 1:2k]
        sign_of = iseven(sum(at; init = 0)) ? 1.0 : -1.0
        for i in 1:2k, j in i+2:2:2k
            sign_of *= sign(at[j] - at[i])
        end
        if sign_of != 0
            x = transpose(reshape(a[div(e, entries)*n*n+1:(div(e, entries)+1)*n*n], n, n))
            rows, columns = setdiff(1:n, at[1:2:end] .+ 1), setdiff(1:n, at[2:2:end] .+ 1)
            y[e+1] = sign_of * (isempty(rows) ? 1.0 : det(x[rows, columns]))
        end
    end
    return y
end


# The k-th derivatives of the product, of m rows of n numbers: that of all but k of them, and 0 where two of these are one.
# The last place is found with the products before and behind it.
function products(m, n, k, x)
    k == 0 && return [prod(view(x, r*n+1:(r+1)*n)) for r in 0:m-1]
    n == 0 && return Float64[]
    rows = n^(k - 1)
    y = zeros(m * rows * n)
    for r in 0:m*rows-1
        v = x[div(r, rows)*n+1:(div(r, rows)+1)*n]
        at = [div(mod(r, rows), n^(i - 1)) % n + 1 for i in 1:k-1]
        if allunique(at)
            v[at] .= 1.0
            z = cumprod([1.0; v[1:end-1]]) .* reverse(cumprod([1.0; reverse(v[2:end])]))
            z[at] .= 0.0
            y[r*n+1:(r+1)*n] = z
        end
    end
    return y
end


# How far derivatives are from central differences: a row has the places of the derivative and of what is differentiated among the
# results, that of the variable among the arguments, and that of the direction, 0 where it is drawn.
function check_derivatives(f, arguments, rows, step)
    worst = 0.0
    for (k, of, wrt, along) in rows
        x = Float64.(arguments[wrt])
        d = along > 0 ? arguments[along] : x isa Number ? 1.0 : 2 .* rand(size(x)...) .- 1
        moved(h) = vec(collect(f((i == wrt ? x .+ h .* d : a for (i, a) in enumerate(arguments))...)[of]))
        want = (moved(step) .- moved(-step)) ./ (2 * step)
        got = vec(collect(f(arguments...)[k]))
        got = along > 0 ? got : reshape(got, length(want), length(d)) * vec(collect(d))
        worst = max(worst, maximum(abs.(got .- want); init = 0.0) / max(1.0, maximum(abs.(want); init = 0.0)))
    end
    return worst
end
