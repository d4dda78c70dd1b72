// Matches a bank while a user types: by a part of any of its names, or by the beginning of a code. Ignores
// case, diacritical marks, and characters that are neither letters nor digits.

type SearchedBank = { names: readonly string[]; codes: readonly string[] }

export function matchesBank({ names, codes }: SearchedBank, search: string): boolean {
  const part = plain(search)
  return (
    names.some((name) => plain(name).includes(part)) || codes.some((code) => code.startsWith(part))
  )
}

function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}
