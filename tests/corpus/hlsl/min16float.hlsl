RWStructuredBuffer<float> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { min16float x = (min16float)data[id.x]; data[id.x] = x * x; }
