// Reads the type and size of an image from its header: PNG, JPEG or WebP. Decodes no pixels, so a small file
// that would unpack to a huge picture does no harm.

export type RasterImage = {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp'
  width: number
  height: number
}

// Returns undefined for other types, or if the file ends before its size.
export function readRasterImage(bytes: Buffer): RasterImage | undefined {
  for (const read of [readPng, readJpeg, readWebp]) {
    const image = read(bytes)
    if (image) return image
  }
  return undefined
}

// The signature, then the chunk IHDR: length, type, width, height.
function readPng(bytes: Buffer): RasterImage | undefined {
  const isPng = bytes.length >= 24 && bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n'
  if (!isPng || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return { mediaType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

// Start-of-frame segments contain the size; these codes in their range are other tables.
const NOT_FRAMES = [0xc4, 0xc8, 0xcc]
const START_OF_SCAN = 0xda

function readJpeg(bytes: Buffer): RasterImage | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= bytes.length; ) {
    const code = bytes.readUInt8(at + 1)
    if (bytes.readUInt8(at) !== 0xff || code === START_OF_SCAN) return undefined
    if (code >= 0xc0 && code <= 0xcf && !NOT_FRAMES.includes(code)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
      return { mediaType: 'image/jpeg', width, height }
    }
    at += code === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2) // 0xff may be padding.
  }
  return undefined
}

// RIFF, with a first chunk that is simple (VP8), lossless (VP8L) or extended (VP8X).
function readWebp(bytes: Buffer): RasterImage | undefined {
  const isWebp = bytes.length >= 30 && /^RIFF[\s\S]{4}WEBP/.test(bytes.toString('latin1', 0, 12))
  const size = isWebp && webpSize(bytes)
  return size ? { mediaType: 'image/webp', ...size } : undefined
}

function webpSize(bytes: Buffer) {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}
