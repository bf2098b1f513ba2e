"""Cart-poles as a Gymnasium vector environment: all advance together, each with a different pole.

`CartPoles(n)` is what learning libraries expect (`pip install gymnasium`): observations and rewards are arrays, a pole
that falls begins anew by itself, and poles differ in their density, so that what is learnt holds for all of them.
`CartPole()` is a single one.  Here a few random linear policies compete; the best goes on as it is.
"""

import numpy as np

import linkwright as lw
from linkwright import joints, parts, translational

try:
    from gymnasium import Env, spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:  # the environments can be looked at without it
    Env = VectorEnv = object

H, FORCE, LEAN, FAR, LONG = 0.02, 10.0, 0.21, 2.4, 500  # s, N, rad, m, steps
STATE = ("rail.s", "rail.v", "rev.phi", "rev.w")


def cart_pole():
    """Cart on a rail, pole on the cart; `motor.f` pushes the cart."""
    m = lw.Model("cart-pole to be balanced")
    m.world = lw.World()
    m.rail, m.cart = joints.Prismatic(n=[1, 0, 0]), parts.Body(m=1.0)
    m.rev = joints.Revolute(phi=0.02)
    m.pole = parts.BodyCylinder(r=[0, 1, 0], diameter=0.02, density=300)
    m.chain(m.world, m.rail, m.cart)
    m.connect(m.rail.frame_b, m.rev.frame_a)
    m.connect(m.rev.frame_b, m.pole.frame_a)
    m.motor = translational.Force()
    m.connect(m.rail.axis, m.motor.flange)
    return m


class CartPoles(VectorEnv):
    """n cart-poles; the action of each is a force between −1 and 1, its reward 1 for every step that it stands."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP} if VectorEnv is not object else {}

    def __init__(self, n=16, device="cpu"):
        self.sims = lw.Simulator(cart_pole(), fixed_step=H, n=n, device=device, method="rk4",
                                 parameters=["pole.density"])
        self.num_envs, self._steps, self._over = n, np.zeros(n, dtype=int), np.zeros(n, dtype=bool)
        self.single_observation_space, self.single_action_space = space(len(STATE), np.inf), space(1, 1.0)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)

    def _observed(self):
        return np.stack([self.sims[name] for name in STATE], axis=1).astype(np.float32)

    def _begin(self, mask):
        random, n = self.np_random, self.num_envs
        self.sims.reset({"rev.phi": random.uniform(-0.05, 0.05, n), "pole.density": random.uniform(200, 400, n)}, mask)
        self._steps[mask] = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._begin(np.ones(self.num_envs, dtype=bool))
        self._over[:] = False
        return self._observed(), {}

    def step(self, actions):
        self.sims.step(inputs={"motor.f": FORCE * np.clip(np.asarray(actions)[:, 0], -1, 1)})
        if self._over.any():
            self._begin(self._over)
        began, self._steps = self._over.copy(), np.where(self._over, 0, self._steps + 1)
        seen = self._observed()
        fell = ((np.abs(seen[:, 2]) > LEAN) | (np.abs(seen[:, 0]) > FAR) | self.sims.failed) & ~began
        late = (self._steps >= LONG) & ~fell
        self._over = fell | late
        return seen, np.where(began, 0.0, 1.0), fell, late, {}


class CartPole(Env):
    """One cart-pole."""

    metadata = {"render_modes": []}

    def __init__(self):
        self.sim, self._steps = lw.Simulator(cart_pole(), fixed_step=H, method="rk4"), 0
        self.observation_space, self.action_space = space(len(STATE), np.inf), space(1, 1.0)

    def _observed(self):
        return np.array([self.sim[name] for name in STATE], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sim.reset({"rev.phi": self.np_random.uniform(-0.05, 0.05)})
        self._steps = 0
        return self._observed(), {}

    def step(self, action):
        self.sim.step(inputs={"motor.f": FORCE * float(np.clip(action[0], -1, 1))})
        self._steps += 1
        seen = self._observed()
        return seen, 1.0, bool(abs(seen[2]) > LEAN or abs(seen[0]) > FAR), self._steps >= LONG, {}


def space(size, most):
    return spaces.Box(-most, most, (size,), np.float32)


def compete(envs, gains, steps):
    """How long each environment stands with gains of its own."""
    seen, _ = envs.reset(seed=1)
    stood, standing = np.zeros(envs.num_envs), np.ones(envs.num_envs, dtype=bool)
    for _ in range(steps):
        seen, _, fell, _, _ = envs.step((seen * gains).sum(axis=1, keepdims=True))
        standing &= ~fell
        stood += standing
    return stood


model = cart_pole()
stop = 1.0

if __name__ == "__main__":
    if VectorEnv is object:
        print("pip install gymnasium, to have the environments")
    else:
        envs, steps = CartPoles(64), 150
        gains = np.random.default_rng(0).uniform(0, 1, (64, len(STATE))) * [0.2, 0.4, -8.0, -2.0]
        stood = compete(envs, gains, steps)
        best = gains[np.argmax(stood)]
        print(f"of 64 random policies {np.sum(stood == steps)} hold their poles for {steps * H:g} s; "
              f"gains of the best: {np.round(best, 2)}")
        print(f"with them {np.sum(compete(envs, best, steps) == steps)} of 64 different poles stand")
