StructuredBuffer<float> sources[4] : register(t0);
RWStructuredBuffer<float> result : register(u4);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  float sum = 0;
  [unroll] for (uint i = 0; i < 4; ++i) sum += sources[i][id.x];
  result[id.x] = sum;
}
