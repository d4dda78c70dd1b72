// Monnify's times: as in ISO 8601, or, as published for other products and older answers, as
// 17/11/2021 3:48:10 PM. Without an offset they are WAT.

const DAY_FIRST = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{1,2}):(\d{2}):(\d{2})(?: ([AP]M))?$/

// What is in neither form stays as it is, to be refused by whoever reads it.
export function isoTime(value: unknown): unknown {
  const match = typeof value === 'string' ? DAY_FIRST.exec(value) : null
  if (!match) return value
  const [, day, month, year, hour, minute, second, half] = match
  const hours = half ? (Number(hour) % 12) + (half === 'PM' ? 12 : 0) : Number(hour)
  return `${year}-${month}-${day}T${String(hours).padStart(2, '0')}:${minute}:${second}`
}
