// Finding a bank as somebody types: by a part of any of its names, or the beginning of a code. Case, marks
// and what is neither letter nor digit do not count.

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
