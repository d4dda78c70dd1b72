// Array parameters for set-wise statements (`unnest($1::bigint[], …)`). Their literals are built
// here: the driver's general encoder, which looks at every element twice with a regular expression,
// took a tenth of the time a credit costs us. They fit columns of any type; what every credit passes
// through is sent in binary instead (binary-arrays.ts, copy-rows.ts).

export function numberArray(values: readonly (bigint | number | null)[]): string {
  return literal(values, String)
}

// Of texts that need no quoting: references, codes and names of our own, times in ISO 8601.
export function plainArray(values: readonly (string | null)[]): string {
  return literal(values, (value) => value)
}

// Of any texts.
export function textArray(values: readonly (string | null)[]): string {
  return literal(values, (value) =>
    value.includes('"') || value.includes('\\')
      ? `"${value.replace(/["\\]/g, '\\$&')}"`
      : `"${value}"`,
  )
}

export function bytesArray(values: readonly (Buffer | null)[]): string {
  return literal(values, (value) => `"\\\\x${value.toString('hex')}"`)
}

function literal<T>(values: readonly (T | null)[], encode: (value: T) => string): string {
  let text = '{'
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ','
    const value = values[index] as T | null
    text += value === null ? 'NULL' : encode(value)
  }
  return `${text}}`
}
