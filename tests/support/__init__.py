"""What tests share: oracles and makers of small inputs."""
