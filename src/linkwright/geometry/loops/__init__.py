"""Pairs of shapes by compiled loops over arrays: convex bodies, meshes, height fields; and which pairs to look at.

Every loop is a function of the dialect (`codegen.dialect`), `(X_WA, X_WB, numbers, indices, out)`: two poses of 12
numbers (rotation by rows, then position), the data of both shapes as one array of floats and one of integers, and the
contact points (n, 10): gap, normal, point_a, point_b.  Loops that programs call are `(x, numbers, indices, y)`
(`codegen.routines`).  Nothing is kept between calls, so that equal poses give equal bits.
"""
