"""From what the user says to what the native part is given."""
