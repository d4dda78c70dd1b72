// Named schemas of the OpenAPI description. A schema's name is its `$id`. Routes hold schemas
// whole, so that validators and serialisers compile without references; the description holds each
// once, under components, and references it elsewhere.

type Json = Record<string, unknown>

// Routes share most of what they hold, and so do the apps of one process.
const marked = new WeakMap<object, object>()

// Compilers would take the same `$id` in two places for two schemas: for them, and for swagger, the
// name is a keyword without a meaning. Done on first use: for all routes it takes a tenth of a start.
export function markSchemaComponents<T>(schema: T): T {
  return mark(schema) as T
}

function mark(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const known = marked.get(value)
  if (known) return known
  const result = Array.isArray(value) ? value.map(mark) : markKeys(value)
  marked.set(value, result)
  marked.set(result, result)
  return result
}

function markKeys(schema: object): Json {
  const entries = Object.entries(schema).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([key, value]) => [key === '$id' ? 'x-component' : key, mark(value)]),
  )
}

export function shareSchemaComponents({ openapiObject }: { openapiObject: Json }): Json {
  const schemas: Record<string, Json> = {}
  // A reviver is called from the inside out: what a component holds is shared before it.
  const shared = JSON.parse(JSON.stringify(openapiObject), (_, value) => {
    const name = value?.['x-component'] ?? value?.$id
    if (typeof name !== 'string') return value
    const { 'x-component': _mark, $id: _id, ...schema } = value
    const before = schemas[name]
    if (before && JSON.stringify(before) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}`)
    }
    schemas[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  })
  const sorted = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))
  return { ...shared, components: { ...shared.components, schemas: Object.fromEntries(sorted) } }
}
