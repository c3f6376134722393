RWTexture3D<float4> volume : register(u0);
[numthreads(4, 4, 4)]
void main(uint3 id : SV_DispatchThreadID) { volume[id] = float4(id, 1); }
