"""placeholder"""


class Contacts:
    def __init__(self, run, accuracy):
        pass
