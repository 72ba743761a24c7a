"""An HGX H100 node: 8 x H100 80GB SXM5, 8 x ConnectX-7 NDR, Ubuntu 22.04."""
