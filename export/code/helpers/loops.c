/* The sum of products, in eight parts, which a compiler adds up side by side. */
static double dot(long n, const double *x, const double *y)
{
    double s[8] = {0.0};
    long i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            s[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        s[0] += x[i] * y[i];
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}


static double square(double x) { return x * x; }


static double sign_of(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }


static double relu(double x) { return x < 0 ? 0.0 : x; }


static double gt(double x, double y) { return x != x || y != y ? NAN : x > y; }


static double ge(double x, double y) { return x != x || y != y ? NAN : x >= y; }


static double lt(double x, double y) { return x != x || y != y ? NAN : x < y; }


static double le(double x, double y) { return x != x || y != y ? NAN : x <= y; }


static double eq(double x, double y) { return x != x || y != y ? NAN : x == y; }


static double ne(double x, double y) { return x != x || y != y ? NAN : x != y; }


static double larger(double x, double y) { return x > y || x != x ? x : y; }


static double smaller(double x, double y) { return x < y || x != x ? x : y; }


static double sigmoid(double x)
{
    double e = exp(-fabs(x));
    return (x < 0 ? e : 1.0) / (1.0 + e);
}


static double logaddexp(double x, double y)
{
    if (x == y)
        return x + log(2.0);
    double d = x - y;
    return d > 0 ? x + log1p(exp(-d)) : d <= 0 ? y + log1p(exp(d)) : d;
}


static double softplus(double x) { return logaddexp(0.0, x); }


static double log1mexp(double x) { return x > -log(2.0) ? log(-expm1(x)) : log1p(-exp(x)); }


static double gelu(double x) { return 0.5 * x * erfc(-sqrt(0.5) * x); }


/* 0 where x is 0, else y. */
static double unless_zero(double x, double y) { return x == 0 ? 0.0 : y; }


/* The product of n factors; where one whose bit is set in weak is infinite and the others are exactly 0, it is 0. */
static double weak_product(int n, unsigned weak, const double *x)
{
    double infinite = 1.0, others = 1.0;
    for (int i = 0; i < n; i++)
        if (weak >> i & 1 && isinf(x[i]))
            infinite *= x[i];
        else
            others *= x[i];
    return others == 0 && infinite != 1 ? 0.0 : infinite * others;
}


static int any_infinite(long n, const double *x)
{
    for (long i = 0; i < n; i++)
        if (isinf(x[i]))
            return 1;
    return 0;
}


static long floor_div(long a, long b) { return a / b - (a % b < 0); }


static long ceil_div(long a, long b) { return a / b + (a % b > 0); }


static long max_of(long a, long b) { return a > b ? a : b; }


static long min_of(long a, long b) { return a < b ? a : b; }


/* amax: the maximum of each of m rows of n numbers, -inf over nothing. */
static void amax(long m, long n, const double *x, double *y)
{
    for (long i = 0; i < m; i++) {
        double top = -INFINITY;
        for (long j = 0; j < n; j++)
            top = larger(top, x[i*n + j]);
        y[i] = top;
    }
}


static void amin(long m, long n, const double *x, double *y)
{
    for (long i = 0; i < m; i++) {
        double top = INFINITY;
        for (long j = 0; j < n; j++)
            top = smaller(top, x[i*n + j]);
        y[i] = top;
    }
}


/* logsumexp: log(sum(exp(x))) of each of m rows of n numbers, without overflow. */
static void logsumexp(long m, long n, const double *x, double *y)
{
    amax(m, n, x, y);
    for (long i = 0; i < m; i++) {
        double sum = 0.0;
        if (!isfinite(y[i]))
            continue;
        for (long j = 0; j < n; j++)
            sum += exp(x[i*n + j] - y[i]);
        y[i] += log(sum);
    }
}


/* softmax: exp(x) over its sum, in each of m rows of n numbers. */
static void softmax(long m, long n, const double *x, double *y)
{
    for (long i = 0; i < m; i++) {
        double top, sum = 0.0;
        amax(1, n, x + i*n, &top);
        for (long j = 0; j < n; j++)
            sum += y[i*n + j] = exp(x[i*n + j] - top);
        for (long j = 0; j < n; j++)
            y[i*n + j] /= sum;
    }
}


/* The root of the sum of squares, which neither overflow nor underflow. */
static double norm2(long n, const double *x)
{
    double top = 0.0, sum = 0.0;
    for (long i = 0; i < n; i++)
        top = larger(top, fabs(x[i]));
    if (top == 0 || !isfinite(top))
        return top;
    for (long i = 0; i < n; i++)
        sum += square(x[i] / top);
    return top * sqrt(sum);
}


/* lu factorises an n by n matrix in place, with the rows that were exchanged in p; the sign of the permutation, or 0
   where the matrix is singular. */
static int lu(long n, double *a, long *p)
{
    int sign = 1;
    for (long k = 0; k < n; k++) {
        long q = k;
        for (long i = k + 1; i < n; i++)
            if (fabs(a[i*n + k]) > fabs(a[q*n + k]))
                q = i;
        p[k] = q;
        if (!(fabs(a[q*n + k]) > 0))
            return 0;
        if (q != k) {
            sign = -sign;
            for (long j = 0; j < n; j++) {
                double t = a[k*n + j];
                a[k*n + j] = a[q*n + j];
                a[q*n + j] = t;
            }
        }
        for (long i = k + 1; i < n; i++) {
            double f = a[i*n + k] /= a[k*n + k];
            for (long j = k + 1; j < n; j++)
                a[i*n + j] -= f * a[k*n + j];
        }
    }
    return sign;
}


/* solve: x = a^-1 b, for m matrices a of n by n and b of n by k; NaN where a is singular. 1 says that memory ran out. */
static int solve(long m, long n, long k, const double *a, const double *b, double *x)
{
    double *f = malloc((n*n + 1) * sizeof *f);
    long *p = malloc((n + 1) * sizeof *p);
    if (f && p)
        for (long t = 0; t < m; t++, a += n*n, b += n*k, x += n*k) {
            memcpy(f, a, n*n * sizeof *f);
            int sign = lu(n, f, p);
            for (long i = 0; i < n*k; i++)
                x[i] = sign ? b[i] : NAN;
            for (long i = 0; sign && i < n; i++) /* exchange rows, then forward */
                for (long c = 0; c < k; c++) {
                    double v = x[i*k + c];
                    x[i*k + c] = x[p[i]*k + c];
                    x[p[i]*k + c] = v;
                }
            for (long i = 0; sign && i < n; i++)
                for (long j = 0; j < i; j++)
                    for (long c = 0; c < k; c++)
                        x[i*k + c] -= f[i*n + j] * x[j*k + c];
            for (long i = n - 1; sign && i >= 0; i--) {
                for (long j = i + 1; j < n; j++)
                    for (long c = 0; c < k; c++)
                        x[i*k + c] -= f[i*n + j] * x[j*k + c];
                for (long c = 0; c < k; c++)
                    x[i*k + c] /= f[i*n + i];
            }
        }
    int failed = !f || !p;
    free(f);
    free(p);
    return failed;
}


/* inv: the inverses of m matrices of n by n; NaN where one is singular. 1 says that memory ran out. */
static int inv(long m, long n, const double *a, double *x)
{
    double *one = calloc(n*n + 1, sizeof *one);
    int failed = !one;
    for (long i = 0; one && i < n; i++)
        one[i*n + i] = 1.0;
    for (long t = 0; !failed && t < m; t++)
        failed = solve(1, n, n, a + t*n*n, one, x + t*n*n);
    free(one);
    return failed;
}


/* logdet: log(det(a)) of m matrices of n by n; NaN where the determinant is not positive. 1 says that memory ran out. */
static int logdet(long m, long n, const double *a, double *y)
{
    double *f = malloc((n*n + 1) * sizeof *f);
    long *p = malloc((n + 1) * sizeof *p);
    for (long t = 0; f && p && t < m; t++) {
        memcpy(f, a + t*n*n, n*n * sizeof *f);
        int sign = lu(n, f, p);
        double sum = 0.0;
        for (long i = 0; sign && i < n; i++) {
            sum += log(fabs(f[i*n + i]));
            if (f[i*n + i] < 0)
                sign = -sign;
        }
        y[t] = sign > 0 ? sum : NAN;
    }
    int failed = !f || !p;
    free(f);
    free(p);
    return failed;
}


/* minors: the k-th derivatives of det at m matrices of n by n, with axes row, column, row, column, .. An entry is the
   determinant without the rows and columns, with a sign, and 0 where one stands twice. 1 says that memory ran out. */
static int minors(long m, long n, int k, const double *a, double *y)
{
    double *f = malloc((n*n + 1) * sizeof *f);
    long *p = malloc((n + 1) * sizeof *p), at[32], entries = 1;
    for (int i = 0; i < 2*k; i++)
        entries *= n;
    for (long e = 0; f && p && e < m * entries; e++) {
        long rest = e % entries, size = 0;
        double det = 1.0;
        for (int i = 2*k - 1; i >= 0; i--, rest /= n)
            at[i] = rest % n;
        for (int i = 0; i < 2*k; i++) {
            if (at[i] % 2)
                det = -det;
            for (int j = i + 2; j < 2*k; j += 2)
                det = at[i] == at[j] ? 0.0 : at[i] > at[j] ? -det : det;
        }
        for (long r = 0; r < n; r++)
            for (long c = 0; c < n; c++) {
                int out = 0;
                for (int i = 0; i < 2*k; i += 2)
                    out |= at[i] == r || at[i + 1] == c;
                if (!out)
                    f[size++] = a[e / entries * n*n + r*n + c];
            }
        if (det != 0) {
            det *= lu(n - k, f, p);
            for (long i = 0; det != 0 && i < n - k; i++)
                det *= f[i * (n - k) + i];
        }
        y[e] = det;
    }
    int failed = !f || !p;
    free(f);
    free(p);
    return failed;
}


/* without: how often j is one of k places, which are the digits of t in base n. */
static int without(long n, int k, long t, long j)
{
    int found = 0;
    for (int i = 0; i < k; i++, t /= n)
        found += t % n == j;
    return found;
}


/* products: the k-th derivatives of the product, of m rows of n numbers: that of all but k of them, and 0 where two of
   these are one. The last place is found with the products before and behind it. */
static void products(long m, long n, int k, const double *x, double *y)
{
    long rows = 1;
    for (int i = 1; i < k; i++)
        rows *= n;
    for (long r = 0; r < m * rows; r++) {
        const double *v = x + r / rows * n;
        double before = 1.0, after = 1.0;
        int twice = 0;
        for (long j = 0; j < n; j++) {
            int out = without(n, k - 1, r % rows, j);
            twice |= out > 1;
            if (k > 0)
                y[r*n + j] = out ? 0.0 : before;
            before *= out ? 1.0 : v[j];
        }
        if (k == 0)
            y[r] = before;
        for (long j = n - 1; k > 0 && j >= 0; j--) {
            int out = without(n, k - 1, r % rows, j);
            y[r*n + j] = out || twice ? 0.0 : y[r*n + j] * after;
            after *= out ? 1.0 : v[j];
        }
    }
}


/* Numbers between -1 and 1. */
static void draw(long n, double *d)
{
    unsigned long state = 12345;
    for (long i = 0; i < n; i++) {
        state = (1103515245 * state + 12345) % 2147483648;
        d[i] = state / 1073741824.0 - 1.0;
    }
}


static void move(long n, const double *x, double h, const double *d, double *y)
{
    for (long i = 0; i < n; i++)
        y[i] = x[i] + h * d[i];
}


/* differs: how far a derivative of m by n along d is from the central difference of up and down, relative to that or 1. */
static double differs(long m, long n, const double *derivative, const double *d, const double *up, const double *down, double h)
{
    double worst = 0.0, scale = 1.0;
    for (long i = 0; i < m; i++) {
        double want = (up[i] - down[i]) / (2 * h), got = 0.0;
        for (long j = 0; j < n; j++)
            got += derivative[i*n + j] * d[j];
        worst = larger(worst, fabs(got - want));
        scale = larger(scale, fabs(want));
    }
    return worst / scale;
}
