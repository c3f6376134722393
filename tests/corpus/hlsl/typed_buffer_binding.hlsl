[[vk::binding(3, 1)]] RWBuffer<float> data;
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { data[id.x] *= 0.5; }
