namespace math { static const float kTwo = 2; float twice(float x) { return x * kTwo; } }
RWStructuredBuffer<float> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { data[id.x] = math::twice(data[id.x]); }
