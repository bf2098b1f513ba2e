"""draft"""
from .compiled import Compiled, Machine, compiled, text_of
from .layouts import layout, record
from .source import NotInDialect
from .words import *  # noqa
