RWStructuredBuffer<uint4> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { data[id.x] = WaveActiveBallot(id.x % 2 == 0); }
