Buffer<float4> source : register(t0);
RWStructuredBuffer<float4> result : register(u1);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { result[id.x] = source[id.x] * 2.0; }
