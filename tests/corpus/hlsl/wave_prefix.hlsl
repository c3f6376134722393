RWStructuredBuffer<uint> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint before = WavePrefixSum(data[id.x]);
  data[id.x] = WaveReadLaneAt(before, WaveGetLaneCount() - 1) + WaveReadLaneFirst(before);
}
