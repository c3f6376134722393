RWTexture2D<float> image : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) { image[id.xy] = image[id.xy] + 1; }
