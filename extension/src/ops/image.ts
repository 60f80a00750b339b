/** Captures within the size that results may have (tools.md 6.11). */
import { ToolError } from '../errors';

/** Decoded bytes above which a capture is encoded anew. */
export const IMAGE_LIMIT = 5_242_880;
const QUALITY = 0.8;
const HALVINGS = 3;

export interface Picture {
  image: string;
  mimeType: 'image/png' | 'image/jpeg';
}

/** Decodes once, encodes as JPEG at a scale. */
export interface Encoder {
  /** `shrink` 0 is full size, 1 half of width and height, and so on. */
  jpeg(shrink: number): Promise<Uint8Array>;
  close(): void;
}

export const decodedBytes = (base64: string): number => {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
};

/** In pieces: the arguments of one call are bounded. */
export function toBase64(bytes: Uint8Array): string {
  let raw = '';
  for (let i = 0; i < bytes.length; i += 0x8000) raw += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(raw);
}

export async function fit(png: string, decode: (png: string) => Promise<Encoder>): Promise<Picture> {
  if (decodedBytes(png) <= IMAGE_LIMIT) return { image: png, mimeType: 'image/png' };
  const encoder = await decode(png);
  try {
    for (let shrink = 0; shrink <= HALVINGS; shrink++) {
      const bytes = await encoder.jpeg(shrink);
      if (bytes.length <= IMAGE_LIMIT) return { image: toBase64(bytes), mimeType: 'image/jpeg' };
    }
  } finally {
    encoder.close();
  }
  throw new ToolError('PAYLOAD_TOO_LARGE', 'The picture stays too large. Ask the user to make the window smaller.');
}

/** The worker's own canvas. A data URL cannot be fetched under our policy, so it is decoded by hand. */
export async function decodeInWorker(png: string): Promise<Encoder> {
  const raw = atob(png);
  const bytes = new Uint8Array(raw.length);
  // By index: a callback for each of many millions would hold up every other call for seconds.
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  return {
    async jpeg(shrink) {
      const width = Math.max(1, bitmap.width >> shrink);
      const height = Math.max(1, bitmap.height >> shrink);
      const canvas = new OffscreenCanvas(width, height);
      const drawing = canvas.getContext('2d');
      if (drawing === null) throw new Error('no canvas');
      drawing.drawImage(bitmap, 0, 0, width, height);
      const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
      return new Uint8Array(await blob.arrayBuffer());
    },
    close: () => bitmap.close(),
  };
}
