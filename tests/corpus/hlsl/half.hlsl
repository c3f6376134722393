RWStructuredBuffer<float> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { half x = (half)data[id.x]; data[id.x] = x * x; }
