struct Ray { float3 from, to; float length2() { float3 d = to - from; return dot(d, d); } };
RWStructuredBuffer<float> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  Ray ray;
  ray.from = 0;
  ray.to = float3(id);
  data[id.x] = ray.length2();
}
