[[vk::binding(0, 0)]] [[vk::image_format("rgba8")]] RWTexture2D<float4> image;
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) { image[id.xy] = float4(id.xy, 0, 1); }
