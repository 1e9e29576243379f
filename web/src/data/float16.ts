// IEEE half precision to double: every one of the 65,536 values exactly.

function decode(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

let table: Float32Array | null = null;

function decodingTable(): Float32Array {
  if (!table) {
    table = new Float32Array(65536);
    for (let bits = 0; bits < 65536; ++bits) table[bits] = decode(bits);
  }
  return table;
}

export function halfToFloat(bits: number): number {
  return decodingTable()[bits & 0xffff];
}

export function halvesToFloats(halves: Uint16Array): Float32Array {
  const values = decodingTable();
  const floats = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; ++i) floats[i] = values[halves[i]];
  return floats;
}
