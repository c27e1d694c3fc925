"""Modules ``constants`` and ``enums`` of ``quantus.helpers``."""
