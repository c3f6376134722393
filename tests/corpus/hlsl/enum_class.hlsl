enum class Mode : uint { Add, Scale };
RWStructuredBuffer<float> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  Mode mode = Mode::Scale;
  data[id.x] = mode == Mode::Scale ? data[id.x] * 2 : data[id.x] + 2;
}
