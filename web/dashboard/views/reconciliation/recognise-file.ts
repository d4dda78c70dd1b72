// Recognises the format of a statement file by its first bytes, and of a compressed file by its name.

export type Format = 'camt053' | 'mt940' | 'csv'

const PEEK_BYTES = 4_096
const PACKED = /\.gz$/i

export async function recogniseFormat(file: File): Promise<Format> {
  const name = file.name.replace(PACKED, '')
  if (/\.xml$/i.test(name)) return 'camt053'
  if (/\.(?:sta|940|mt940|swi)$/i.test(name)) return 'mt940'
  if (/\.(?:csv|tsv)$/i.test(name) || PACKED.test(file.name)) return 'csv'
  const beginning = (await file.slice(0, PEEK_BYTES).text()).replace(/^\uFEFF/, '').trimStart()
  if (beginning.startsWith('<')) return 'camt053'
  return /^(?:\{1:|:20:)/m.test(beginning) ? 'mt940' : 'csv'
}

const TYPES: Record<Format, string> = {
  camt053: 'application/xml',
  mt940: 'text/plain',
  csv: 'text/csv',
}

export function contentTypeOf(file: File, format: Format): string {
  return PACKED.test(file.name) ? 'application/gzip' : TYPES[format]
}

type Earlier = { bankCode: string; fileName: string | null }

// Returns the bank whose earlier file names are most similar.
export function likeliestBank(fileName: string, earlier: readonly Earlier[]): string | undefined {
  const scored = earlier.map(({ bankCode, fileName: other }) => ({
    bankCode,
    alike: sharedBeginning(fileName.toLowerCase(), (other ?? '').toLowerCase()),
  }))
  const best = scored.toSorted((one, other) => other.alike - one.alike)[0]
  return best && best.alike >= ALIKE_MIN ? best.bankCode : undefined
}

const ALIKE_MIN = 4 // Fewer equal first characters are probably a coincidence.

function sharedBeginning(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}
