"""What Assay talks about: frozen values, standard library only, no I/O."""
