RWStructuredBuffer<int16_t> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { data[id.x] += (int16_t)1; }
