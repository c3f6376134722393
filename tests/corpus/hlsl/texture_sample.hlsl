Texture2D<float4> image : register(t0);
SamplerState linear_sampler : register(s1);
RWStructuredBuffer<float4> result : register(u2);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  result[id.y * 8 + id.x] = image.SampleLevel(linear_sampler, (id.xy + 0.5) / 8.0, 0);
}
