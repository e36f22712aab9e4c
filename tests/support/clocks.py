"""A clock that does not depend on the machine."""


class Clock:
    """A clock that advances by `tick` seconds whenever it is read."""

    def __init__(self, tick):
        self.tick, self.now, self.readings = tick, 1000.0, []

    def __call__(self):
        self.now += self.tick
        self.readings.append(self.now)
        return self.now
