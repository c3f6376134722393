RWStructuredBuffer<float> data : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) { data[id.x] = QuadReadAcrossX(data[id.x]) + QuadReadLaneAt(data[id.x], 2); }
