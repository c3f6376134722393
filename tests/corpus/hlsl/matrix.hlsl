RWStructuredBuffer<float4> data : register(u0);
cbuffer Transform : register(b1) { row_major float4x4 transform; };
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { data[id.x] = mul(transform, data[id.x]); }
