Texture2D<float4> image : register(t0);
RWStructuredBuffer<float4> result : register(u1);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) { result[id.y * 8 + id.x] = image.Load(int3(id.xy, 0)); }
