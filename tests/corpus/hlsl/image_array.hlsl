RWTexture2DArray<float4> layers : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) { layers[id] = 0; }
