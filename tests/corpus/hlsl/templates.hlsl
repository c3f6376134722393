template <typename T>
T twice(T x) { return x + x; }
RWStructuredBuffer<float> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { data[id.x] = twice<float>(data[id.x]); }
