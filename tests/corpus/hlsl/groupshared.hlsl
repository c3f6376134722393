RWStructuredBuffer<float> data : register(u0);
groupshared float sums[64];
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex) {
  sums[index] = data[id.x];
  GroupMemoryBarrierWithGroupSync();
  for (uint step = 32; step > 0; step /= 2) {
    if (index < step) sums[index] += sums[index + step];
    GroupMemoryBarrierWithGroupSync();
  }
  if (index == 0) data[id.x] = sums[0];
}
