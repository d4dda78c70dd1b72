// Texts that begin alike, as a range: from the prefix on, before `pastPrefix` of it. Columns of
// references compare byte by byte (collate "C"), so that their indexes serve.

const LAST_CHARACTER = '\u{10ffff}'

export const pastPrefix = (prefix: string) => `${prefix}${LAST_CHARACTER}`

// Numbers and session ids lie among those of all clients: so many of a range are looked at. Six of a
// number's ten digits leave ten thousand numbers, seven a thousand.
export const PREFIX_SCAN_MAX = 2_000
