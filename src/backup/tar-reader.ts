// Reads a tar file as the server writes it (ustar): only files and folders. Sizes above 8 GB are
// binary, with the highest bit set.

import type { FileHandle } from 'node:fs/promises'
import { BackupProblem } from './backup-problem.ts'

const BLOCK = 512
const [NAME, SIZE, CHECKSUM, TYPE, PREFIX] = [0, 124, 148, 156, 345] as const

export type TarEntry = {
  name: string // Relative to the target folder, never outside it.
  kind: 'file' | 'folder'
  bytes: number
  start: number // The offset of its content.
}

export async function* readTar(file: FileHandle): AsyncGenerator<TarEntry> {
  const { size } = await file.stat()
  const header = Buffer.alloc(BLOCK)
  for (let at = 0; at + BLOCK <= size; ) {
    await file.read(header, 0, BLOCK, at)
    if (header.every((byte) => byte === 0)) return
    const entry = { ...parseHeader(header), start: at + BLOCK }
    at = entry.start + Math.ceil(entry.bytes / BLOCK) * BLOCK
    if (at > size) break
    yield entry
  }
  throw new BackupProblem('The tar file is cut off.')
}

function parseHeader(header: Buffer): Omit<TarEntry, 'start'> {
  if (octal(header, CHECKSUM, 8) !== sumOf(header)) {
    throw new BackupProblem('The tar file is damaged.')
  }
  const prefix = text(header, PREFIX, 155)
  const path = prefix ? `${prefix}/${text(header, NAME, 100)}` : text(header, NAME, 100)
  const type = String.fromCharCode(header[TYPE] as number)
  const name = path.replace(/^\.\//, '').replace(/\/$/, '')
  const isSafe = name !== '' && !name.startsWith('/') && !name.split('/').includes('..')
  if (!isSafe || (type !== '0' && type !== '5')) {
    throw new BackupProblem(`The tar file has an entry that no backup has: ${path}.`)
  }
  const kind = type === '5' ? 'folder' : 'file'
  return { name, kind, bytes: kind === 'folder' ? 0 : sizeOf(header) }
}

function sizeOf(header: Buffer): number {
  const isBinary = ((header[SIZE] as number) & 0x80) !== 0
  return isBinary ? Number(header.readBigUInt64BE(SIZE + 4)) : octal(header, SIZE, 12)
}

function text(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

function octal(header: Buffer, at: number, length: number): number {
  return Number.parseInt(text(header, at, length).trim() || '0', 8)
}

// The sum of all bytes, with the checksum's own bytes as blanks.
function sumOf(header: Buffer): number {
  const blank = Buffer.from(header).fill(' ', CHECKSUM, CHECKSUM + 8)
  return blank.reduce((sum, byte) => sum + byte, 0)
}
