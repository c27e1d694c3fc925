"""Conversion of user arguments for the native part."""
