// Array parameters for set-wise statements (`unnest($1::bigint[], …)`). Numbers need no quoting,
// so their literal is built here: the driver's general encoder costs several times as much.

export type NumberLike = bigint | number | null

export function numberArray(values: readonly NumberLike[]): string {
  let literal = '{'
  for (let index = 0; index < values.length; index++) {
    if (index > 0) literal += ','
    literal += values[index] ?? 'NULL'
  }
  return `${literal}}`
}
