[[vk::binding(0)]] [[vk::image_format("r32ui")]] RWTexture2D<uint> image;
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) { InterlockedAdd(image[id.xy], 1); }
