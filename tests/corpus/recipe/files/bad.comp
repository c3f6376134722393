#version 450
void main() { x = 1; }
