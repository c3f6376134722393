[[vk::combinedImageSampler]] [[vk::binding(0)]] Texture2D<float4> image;
[[vk::combinedImageSampler]] [[vk::binding(0)]] SamplerState image_sampler;
[[vk::binding(1)]] RWStructuredBuffer<float4> result;
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) { result[id.x] = image.SampleLevel(image_sampler, float2(0, 0), 0); }
