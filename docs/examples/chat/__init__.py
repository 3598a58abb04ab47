"""A chat with an agent loop, and every exit that such an application has."""
