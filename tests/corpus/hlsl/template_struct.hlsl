template <typename T, uint N>
struct Ring { T values[N]; T at(uint i) { return values[i % N]; } };
RWStructuredBuffer<float> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  Ring<float, 4> ring;
  for (uint i = 0; i < 4; ++i) ring.values[i] = i;
  data[id.x] = ring.at(id.x);
}
