struct Parameters { uint count; float scale; };
ConstantBuffer<Parameters> parameters : register(b0);
RWStructuredBuffer<float> data : register(u1);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { if (id.x < parameters.count) data[id.x] *= parameters.scale; }
