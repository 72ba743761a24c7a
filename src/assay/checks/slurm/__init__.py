"""Slurm as its controller describes it: are nodes there, and would jobs get what they ask for?"""
