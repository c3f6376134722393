cbuffer Parameters : register(b0) { uint count; float4 weights[4]; };
RWStructuredBuffer<float> data : register(u1);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { if (id.x < count) data[id.x] *= weights[id.x % 4].x; }
