// Array parameters for set-wise statements (`unnest($1::bigint[], …)`). Their literals are built
// here: the driver's general encoder, which looks at every element twice with a regular expression,
// took a tenth of the time a credit costs us.

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

// For columns that are null throughout most batches, next to one that never is: unnest() fills a
// shorter array up with nulls, so such a column costs nothing per row.
export const sparseNumberArray = sparse(numberArray)
export const sparsePlainArray = sparse(plainArray)

function sparse<T>(encode: (values: readonly (T | null)[]) => string) {
  return (values: readonly (T | null)[]) =>
    values.every((value) => value === null) ? '{}' : encode(values)
}

// Null for the value that nearly every row has, which the statement fills in.
export function unless<T>(usual: NoInfer<T>, value: T): T | null {
  return value === usual ? null : value
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
