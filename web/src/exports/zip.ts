// A zip archive whose members are stored, not compressed: what an .npz is.

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc >>> 0;
});

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; ++i) crc = crcTable[(crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

const firstDate = 0x21; // 1980-01-01: the same content gives the same bytes

function record(bytes: number, fill: (view: DataView) => void): Uint8Array {
  const buffer = new Uint8Array(bytes);
  fill(new DataView(buffer.buffer));
  return buffer;
}

// The fields that the local header and the entry of the directory share, from offset `at` on.
function sharedFields(view: DataView, at: number, content: Uint8Array, crc: number, nameBytes: number): void {
  view.setUint16(at, 20, true); // version needed
  view.setUint16(at + 2, 0x0800, true); // names are UTF-8
  view.setUint16(at + 8, firstDate, true);
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, content.length, true);
  view.setUint32(at + 18, content.length, true);
  view.setUint16(at + 22, nameBytes, true);
}

export function zip(files: Record<string, Uint8Array>): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const nameBytes = new TextEncoder().encode(name);
    const crc = crc32(content);
    const header = record(30, (view) => {
      view.setUint32(0, 0x04034b50, true);
      sharedFields(view, 4, content, crc, nameBytes.length);
    });
    const entry = record(46, (view) => {
      view.setUint32(0, 0x02014b50, true);
      view.setUint16(4, 20, true);
      sharedFields(view, 6, content, crc, nameBytes.length);
      view.setUint32(42, offset, true);
    });
    parts.push(header, nameBytes, content);
    directory.push(entry, nameBytes);
    offset += header.length + nameBytes.length + content.length;
  }
  const directoryBytes = directory.reduce((sum, part) => sum + part.length, 0);
  const count = Object.keys(files).length;
  const end = record(22, (view) => {
    view.setUint32(0, 0x06054b50, true);
    view.setUint16(8, count, true);
    view.setUint16(10, count, true);
    view.setUint32(12, directoryBytes, true);
    view.setUint32(16, offset, true);
  });
  return joined([...parts, ...directory, end]);
}

export function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
