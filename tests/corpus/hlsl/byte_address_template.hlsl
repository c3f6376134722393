RWByteAddressBuffer data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { data.Store<float2>(id.x * 8, data.Load<float2>(id.x * 8) * 2); }
