RWStructuredBuffer<float> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  float sum = WaveActiveSum(data[id.x]);
  if (WaveIsFirstLane()) data[id.x] = sum;
}
