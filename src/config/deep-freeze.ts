// Freezes a value with all that it holds. Bytes stay as they are: a typed array cannot be frozen.

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  Object.values(value).forEach(deepFreeze)
  return Object.freeze(value)
}
