RWByteAddressBuffer data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { data.Store(id.x * 4, data.Load(id.x * 4) + 1); }
