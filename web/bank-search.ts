// Matches a bank while a user types: by a part of any of its names, or by the beginning of a code. Ignores
// case, diacritical marks, and characters that are neither letters nor digits.

type SearchedBank = { names: readonly string[]; codes: readonly string[] }

// Whether a bank fits the search text: some name contains it, or some code begins with it.
export function matchesBank({ names, codes }: SearchedBank, search: string): boolean {
  const part = searchable(search)
  return (
    names.some((name) => searchable(name).includes(part)) ||
    codes.some((code) => code.startsWith(part))
  )
}

// "Ecobank – Plc." and "écobankplc" become the same text.
function searchable(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}
