RWStructuredBuffer<uint> data : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  data[id.x] = countbits(data[id.x]) + firstbithigh(data[id.x]) + reversebits(data[id.x]) + f32tof16(asfloat(data[id.x]));
}
