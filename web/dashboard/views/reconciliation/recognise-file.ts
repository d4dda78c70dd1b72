// Recognises the format of a statement file by its first bytes, and of a compressed file by its name.

export type Format = 'camt053' | 'mt940' | 'csv'

const BEGINNING_BYTES = 4_096
const GZIP_NAME = /\.gz$/i

// Recognises the format by the extension, or else by the first bytes. Any other file is taken as CSV, because
// a CSV file has no recognisable beginning.
export async function recogniseFormat(file: File): Promise<Format> {
  const name = file.name.replace(GZIP_NAME, '')
  if (/\.xml$/i.test(name)) return 'camt053'
  if (/\.(?:sta|940|mt940|swi)$/i.test(name)) return 'mt940'
  if (/\.(?:csv|tsv)$/i.test(name) || GZIP_NAME.test(file.name)) return 'csv'
  const beginning = (await file.slice(0, BEGINNING_BYTES).text()).replace(/^\uFEFF/, '').trimStart()
  if (beginning.startsWith('<')) return 'camt053'
  return /^(?:\{1:|:20:)/m.test(beginning) ? 'mt940' : 'csv'
}

const TYPES: Record<Format, string> = {
  camt053: 'application/xml',
  mt940: 'text/plain',
  csv: 'text/csv',
}

export function contentTypeOf(file: File, format: Format): string {
  return GZIP_NAME.test(file.name) ? 'application/gzip' : TYPES[format]
}

type EarlierImport = { bankCode: string; fileName: string | null }

// Returns the bank whose earlier file names are most similar.
export function likeliestBank(
  fileName: string,
  earlier: readonly EarlierImport[],
): string | undefined {
  const scored = earlier.map(({ bankCode, fileName: other }) => ({
    bankCode,
    sharedLength: sharedBeginning(fileName.toLowerCase(), (other ?? '').toLowerCase()),
  }))
  const best = scored.toSorted((one, other) => other.sharedLength - one.sharedLength)[0]
  return best && best.sharedLength >= SHARED_MIN ? best.bankCode : undefined
}

const SHARED_MIN = 4 // Fewer equal first characters are probably a coincidence.

// Counts the characters that both texts begin with.
function sharedBeginning(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}
