"""The C interface, class registration, the server's virtuals, node sync, project settings."""
