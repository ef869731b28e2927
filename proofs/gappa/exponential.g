# The polynomial part and the last two operations of checker/bulk/exponential.py, for Gappa 1.4: u = 2^-53 = 128b-60.
# Z is the polynomial in exact arithmetic, X stands for exp(r) - 1, E for exp(-k/32), T for its entry in the table,
# scaled by a power of 2 (as long as nothing is subnormal, that changes no rounding).

@rnd = float<ieee_64, ne>;

r = rnd(r_);
c7 = rnd(1/5040);
c6 = rnd(1/720);
c5 = rnd(1/120);
c4 = rnd(1/24);
c3 = rnd(1/6);

q rnd= ((((r * c7 + c6) * r + c5) * r + c4) * r + c3) * r + 1/2;
z rnd= (q * r + 1) * r;

Q = ((((r * (1/5040) + 1/720) * r + 1/120) * r + 1/24) * r + 1/6) * r + 1/2;
Z = (Q * r + 1) * r;

T = rnd(T_);
y rnd= T * z + T;
V = T * z + T;
W = E * (1 + X);

{ |r| <= 1b-6 /\ |X - Z| <= 1b-62 /\ |X| <= 17b-10 /\ T in [0.5, 1] /\ T -/ E in [-129b-60, 129b-60]
  -> |z - Z| <= 5b-60 /\ y -/ W in [-288b-60, 288b-60] }

(y - W) / W -> ((y - V) / V + 1) * (((T - E) / E + 1) * (1 + (z - X) / (1 + X))) - 1
{ E <> 0, T <> 0, 1 + X <> 0, W <> 0, V <> 0 };
