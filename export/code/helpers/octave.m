function x = flat(x)
  % the entries of an array, row by row
  x = permute(x, ndims(x):-1:1);
  x = double(x(:));
end


function x = unflat(x, shape)
  % the array of a shape with the entries x, row by row
  n = numel(shape);
  if n == 1
    x = x(:);
  elseif n > 1
    x = permute(reshape(x, fliplr(shape)), n:-1:1);
  end
end


function n = axis_size(name, x, order, axis)
  % the size of an axis of an argument
  if order == 1
    n = numel(x);
  else
    n = size(x, axis);
  end
end


function check_shape(name, x, shape)
  if numel(shape) < 2
    ok = numel(x) == prod(shape);
  else
    ok = ndims(x) <= numel(shape) && all(arrayfun(@(k) size(x, k), 1:numel(shape)) == shape);
  end
  if ~ok
    error("%s has the size [%s], but [%s] is declared", name, num2str(size(x)), num2str(shape));
  end
end


function check_size(name, n)
  if n < 0
    error("the size %s = %d is negative", name, n);
  end
end


function y = square(x)
  y = x * x;
end


function y = nan_log(x)
  if x < 0
    y = NaN;
  else
    y = log(x);
  end
end


function y = nan_log1p(x)
  if x < -1
    y = NaN;
  else
    y = log1p(x);
  end
end


function y = nan_asin(x)
  if abs(x) > 1
    y = NaN;
  else
    y = asin(x);
  end
end


function y = nan_acos(x)
  if abs(x) > 1
    y = NaN;
  else
    y = acos(x);
  end
end


function y = nan_sqrt(x)
  if x < 0
    y = NaN;
  else
    y = sqrt(x);
  end
end


function z = nan_pow(x, y)
  if x < 0 && y ~= round(y)
    z = NaN;
  else
    z = x ^ y;
  end
end


function z = choose(holds, x, y)
  if holds
    z = x;
  else
    z = y;
  end
end


function y = truth(holds, x)
  y = choose(isnan(x), NaN, double(holds));
end


function z = gt_(x, y)
  z = truth(x > y, x + y);
end


function z = ge_(x, y)
  z = choose(isnan(x) || isnan(y), NaN, double(x >= y));
end


function z = lt_(x, y)
  z = choose(isnan(x) || isnan(y), NaN, double(x < y));
end


function z = le_(x, y)
  z = choose(isnan(x) || isnan(y), NaN, double(x <= y));
end


function z = eq_(x, y)
  z = choose(isnan(x) || isnan(y), NaN, double(x == y));
end


function z = ne_(x, y)
  z = choose(isnan(x) || isnan(y), NaN, double(x ~= y));
end


function z = larger(x, y)
  z = choose(x > y || isnan(x), x, y);
end


function z = smaller(x, y)
  z = choose(x < y || isnan(x), x, y);
end


function y = relu(x)
  y = choose(x < 0, 0, x);
end


function y = sigmoid(x)
  e = exp(-abs(x));
  y = choose(x < 0, e, 1) / (1 + e);
end


function z = logaddexp(x, y)
  if x == y
    z = x + log(2);
  elseif x > y
    z = x + log1p(exp(y - x));
  elseif x < y
    z = y + log1p(exp(x - y));
  else
    z = NaN;
  end
end


function y = softplus(x)
  y = logaddexp(0, x);
end


function y = gelu(x)
  y = 0.5 * x * erfc(-sqrt(0.5) * x);
end


function y = log1mexp(x)
  y = choose(x > -log(2), nan_log(max(-expm1(x), 0)), nan_log1p(-exp(x)));
  y = choose(x > 0, NaN, y);
end


function y = round_even(x)
  y = round(x);
  y = choose(abs(x - fix(x)) == 0.5, 2*round(x/2), y);
end


function z = unless_zero(x, y)
  % 0 where x is 0, else y
  z = choose(x == 0, 0, y);
end


function y = weak_product(weak, x)
  % the product of x; where a factor whose bit is set in weak is infinite and the others are exactly 0, it is 0
  infinite = isinf(x) & bitget(weak, 1:numel(x));
  others = prod(x(~infinite));
  if others == 0 && any(infinite)
    y = 0;
  else
    y = others * prod(x(infinite));
  end
end


function z = floor_div(a, b)
  z = floor(a / b);
end


function z = ceil_div(a, b)
  z = ceil(a / b);
end


function y = amax(m, n, x)
  % the maximum of each of m rows of n numbers, -Inf over nothing
  y = -Inf(m, 1);
  for i = 1:m
    for j = 1:n
      y(i) = larger(y(i), x((i - 1)*n + j));
    end
  end
end


function y = amin(m, n, x)
  y = -amax(m, n, -x);
end


function y = logsumexp(m, n, x)
  % log(sum(exp(x))) of each of m rows of n numbers, without overflow
  y = amax(m, n, x);
  for i = 1:m
    if isfinite(y(i))
      y(i) = y(i) + log(sum(exp(x((i - 1)*n + (1:n)) - y(i))));
    end
  end
end


function y = softmax(m, n, x)
  % exp(x) over its sum, in each of m rows of n numbers
  y = zeros(m*n, 1);
  for i = 1:m
    row = (i - 1)*n + (1:n);
    e = exp(x(row) - amax(1, n, x(row)));
    y(row) = e / sum(e);
  end
end


function y = norm2(n, x)
  % the root of the sum of squares, which neither overflow nor underflow
  y = amax(1, n, abs(x));
  if y > 0 && isfinite(y)
    y = y * sqrt(sum((x / y) .^ 2));
  elseif n == 0
    y = 0;
  end
end


function x = solve(m, n, k, a, b)
  % a^-1 b for m matrices a of n by n and b of n by k; NaN where a is singular
  x = zeros(m*n*k, 1);
  for t = 1:m
    [l, u, p] = lu(unflat(a((t - 1)*n*n + (1:n*n)), [n n]));
    z = NaN(n, k);
    if all(abs(diag(u)) > 0)
      z = u \ (l \ (p * unflat(b((t - 1)*n*k + (1:n*k)), [n k])));
    end
    x((t - 1)*n*k + (1:n*k)) = flat(z);
  end
end


function x = inv(m, n, a)
  % the inverses of m matrices of n by n; NaN where one is singular
  x = solve(m, n, n, a, repmat(flat(eye(n)), m, 1));
end


function y = logdet(m, n, a)
  % log(det(a)) of m matrices of n by n; NaN where the determinant is not positive
  y = zeros(m, 1);
  for t = 1:m
    [l, u, p] = lu(unflat(a((t - 1)*n*n + (1:n*n)), [n n]));
    d = diag(u);
    y(t) = choose(det(p) * prod(sign(d)) > 0, sum(log(abs(d))), NaN);
  end
end


function y = minors(m, n, k, a)
  % the k-th derivatives of det at m matrices of n by n, with axes row, column, row, column, .. An entry is the
  % determinant without the rows and columns, with a sign, and 0 where one stands twice
  entries = n ^ (2*k);
  y = zeros(m*entries, 1);
  for e = 0:m*entries - 1
    rest = mod(e, entries);
    at = zeros(1, 2*k);
    for i = 2*k:-1:1
      at(i) = mod(rest, n);
      rest = floor(rest / n);
    end
    s = (-1) ^ sum(at);
    for i = 1:2*k
      for j = i + 2:2:2*k
        s = s * sign(at(j) - at(i));
      end
    end
    if s ~= 0
      x = unflat(a(floor(e / entries)*n*n + (1:n*n)), [n n]);
      x(at(1:2:end) + 1, :) = [];
      x(:, at(2:2:end) + 1) = [];
      s = s * det(x);
    end
    y(e + 1) = s;
  end
end


function y = products(m, n, k, x)
  % the k-th derivatives of the product, of m rows of n numbers: that of all but k of them, and 0 where two of these are
  % one. The last place is found with the products before and behind it
  rows = n ^ max(k - 1, 0);
  y = zeros(m * n^k, 1);
  for r = 0:m*rows - 1
    v = x(floor(r / rows)*n + (1:n));
    v = v(:);
    if k == 0
      y(r + 1) = prod(v);
      continue
    end
    at = mod(floor(mod(r, rows) ./ n .^ (0:k - 2)), n) + 1;
    v(at) = 1;
    z = cumprod([1; v(1:end - 1)]) .* flipud(cumprod([1; flipud(v(2:end))]));
    z(at) = 0;
    if numel(unique(at)) == numel(at)
      y(r*n + (1:n)) = z;
    end
  end
end


function y = any_infinite(n, x)
  y = any(isinf(x));
end


function z = max_of(a, b)
  z = max(a, b);
end


function z = min_of(a, b)
  z = min(a, b);
end
