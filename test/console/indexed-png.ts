import { crc32, deflateSync } from 'node:zlib';

const MAX_COLORS = 256;

/** Pixels of four bytes as a PNG with a palette: a third of the size where colours are flat. Transparency is lost. */
export function toIndexedPng(pixels: Uint8Array, width: number, height: number): Buffer {
  const counts = countColors(pixels);
  // Shades beside each other become the most frequent of them, in steps as small as the palette allows.
  for (let step = 1; ; step *= 2) {
    const places = new Map<number, number>();
    const palette: number[] = [];
    for (const [color] of counts) {
      const bucket = toBucket(color, step);
      if (places.has(bucket)) continue;
      places.set(bucket, places.size);
      palette.push(color >> 16, (color >> 8) & 255, color & 255);
    }
    if (places.size > MAX_COLORS) continue;
    // Each row begins with its filter, which is none.
    const rows = Buffer.alloc((width + 1) * height);
    for (let at = 0; at < width * height; at += 1) {
      const row = Math.floor(at / width);
      rows[at + row + 1] = places.get(toBucket(colorAt(pixels, at), step)) ?? 0;
    }
    return encode(rows, palette, width, height);
  }
}

/** How often each colour is there, the most frequent first. */
function countColors(pixels: Uint8Array): [number, number][] {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length / 4; at += 1) {
    const color = colorAt(pixels, at);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

function colorAt(pixels: Uint8Array, at: number): number {
  return ((pixels[4 * at] ?? 0) << 16) | ((pixels[4 * at + 1] ?? 0) << 8) | (pixels[4 * at + 2] ?? 0);
}

function toBucket(color: number, step: number): number {
  const [red, green, blue] = [color >> 16, (color >> 8) & 255, color & 255];
  return (Math.floor(red / step) << 16) | (Math.floor(green / step) << 8) | Math.floor(blue / step);
}

function encode(rows: Buffer, palette: readonly number[], width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits a pixel, colours of a palette.
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
