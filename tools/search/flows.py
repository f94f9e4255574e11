"""Flows of whole items, by an integer program (scipy's HiGHS): items move from state to state, and what
a move takes on its way has room for one.

    flows = Flows()
    flows.move("here", "there", label, ("link", 3))
    flows.supply("here", 5), flows.demand("there", 5)
    flows.solve(60)                                   [(label, items), ..], or None

The same answer every time with the same version of scipy; data/README.md names it.
"""


class Flows:
    def __init__(self):
        self.labels = []
        self.costs = []
        self.most = []
        self.balance = {}  # state -> [(move, +1 that arrives or -1 that leaves)]
        self.sides = {}
        self.users = {}  # what is taken -> moves
        self.sums = []  # ([(move, factor)], sum)

    def move(self, before, after, label, taken=None, cost=1, most=1):
        number = len(self.labels)
        self.labels.append(label)
        self.costs.append(cost)
        self.most.append(most)
        self.balance.setdefault(before, []).append((number, -1))
        self.balance.setdefault(after, []).append((number, 1))
        if taken is not None:
            self.users.setdefault(taken, []).append(number)
        return number

    def supply(self, state, items):
        self.sides[state] = self.sides.get(state, 0) - items

    def demand(self, state, items):
        self.supply(state, -items)

    def equal(self, terms, total):
        self.sums.append((terms, total))

    def solve(self, seconds):
        """Any solution."""
        import numpy
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_matrix

        def matrix(rows):
            entries = [(i, move, factor) for i, terms in enumerate(rows) for move, factor in terms]
            rows_of, columns, values = zip(*entries)
            return csr_matrix((values, (rows_of, columns)), shape=(len(rows), len(self.labels)))

        if any(state not in self.balance and side for state, side in self.sides.items()):
            return None
        equal = [(terms, self.sides.get(state, 0)) for state, terms in self.balance.items()] + self.sums
        totals = [total for _, total in equal]
        found = milp(
            c=numpy.array(self.costs),
            integrality=numpy.ones(len(self.labels)),
            bounds=Bounds(0, self.most),
            constraints=[
                LinearConstraint(matrix([terms for terms, _ in equal]), totals, totals),
                LinearConstraint(matrix([[(move, 1) for move in moves] for moves in self.users.values()]), -numpy.inf, 1),
            ],
            options={"time_limit": seconds, "mip_rel_gap": 1.0},
        )
        if found.x is None:
            return None
        return [(label, round(items)) for label, items in zip(self.labels, found.x) if round(items)]
