AppendStructuredBuffer<uint> found : register(u0);
StructuredBuffer<uint> data : register(t1);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { if (data[id.x] > 10) found.Append(id.x); }
