"""Runs of `xai`."""

import subprocess


def run(xai, command, folder):
    """What a command prints; one that fails ends the build."""
    done = subprocess.run([xai, *command.split()[1:]], cwd=folder, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise SystemExit(f"{command}\n{done.stderr}")
    return done.stdout
