struct Push { uint count; float scale; };
[[vk::push_constant]] Push push;
RWStructuredBuffer<float> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { if (id.x < push.count) data[id.x] *= push.scale; }
