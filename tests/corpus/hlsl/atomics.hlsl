RWStructuredBuffer<uint> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint before;
  InterlockedAdd(data[0], 1, before);
  InterlockedMax(data[1], before);
  InterlockedCompareExchange(data[2], 0, id.x, before);
}
