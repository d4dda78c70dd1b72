// Parameters and the fields of a schema as HTML. Fields of an object inside fold.

import { escapeHtml } from '#http/pages.ts'
import type { Components, Schema } from './examples.ts'
import { inline } from './markdown.ts'
import type { Parameter } from './outline.ts'

type Described = Schema & {
  description?: string
  required?: readonly string[]
  'x-says'?: string
}

const REF = '#/components/schemas/'
const DEPTH_MAX = 5 // Deeper fields are in the example and in /openapi.json.

export function parametersHtml(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, schema, description, required = false }) =>
    row({ name, schema: { ...(description && { description }), ...schema }, isRequired: required }),
  )
  return `<dl class="fields">${rows.join('')}</dl>`
}

// Empty for a schema without fields.
export function fieldsHtml(schema: Schema, components: Components, depth = 0): string {
  const { properties, required = [] } = objectIn(schema, components)
  if (!properties || depth > DEPTH_MAX) return ''
  const rows = Object.entries(properties).map(([name, property]) =>
    row({
      name,
      schema: resolved(property, components),
      isRequired: required.includes(name),
      inner: fieldsHtml(property, components, depth + 1),
    }),
  )
  return `<dl class="fields">${rows.join('')}</dl>`
}

type Row = { name: string; schema: Described; isRequired: boolean; inner?: string }

function row({ name, schema, isRequired, inner = '' }: Row): string {
  const needed = isRequired ? ' <em>required</em>' : ''
  const says =
    schema['x-says'] && !/^Must be (?:true or false|one of|an object\.)/.test(schema['x-says'])
  const texts = [
    schema.description && inline(schema.description),
    says && `<span class="says">${inline(schema['x-says'] as string)}</span>`,
    schema.default !== undefined && `Default: <code>${escapeHtml(String(schema.default))}</code>.`,
  ].filter(Boolean)
  return (
    `<div><dt><code>${escapeHtml(name)}</code> <span class="type">${typeHtml(schema)}</span>${needed}</dt>` +
    `<dd>${texts.join(' ')}${inner && `<details><summary>Its fields</summary>${inner}</details>`}</dd></div>`
  )
}

function resolved(schema: Schema, components: Components): Described {
  if (!schema.$ref) return schema
  return { ...components[schema.$ref.slice(REF.length)], ...schema } as Described
}

// The object that has the fields: the schema, an item of its list, or one of its choices.
function objectIn(schema: Schema, components: Components): Described {
  const known = resolved(schema, components)
  if (known.properties) return known
  const [choice] = [...(known.anyOf ?? []), ...(known.oneOf ?? [])].filter(
    (each) => objectIn(each, components).properties,
  )
  if (choice) return objectIn(choice, components)
  if (known.allOf) {
    const parts = known.allOf.map((part) => objectIn(part, components))
    const properties = Object.assign({}, ...parts.map((part) => part.properties))
    return { properties, required: parts.flatMap((part) => part.required ?? []) }
  }
  return known.items ? objectIn(known.items, components) : known
}

function typeHtml(schema: Schema): string {
  const { type, enum: values, const: constant, items, properties, anyOf, oneOf } = schema
  if (constant !== undefined) return `<code>${escapeHtml(String(constant))}</code>`
  if (values) return values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' or ')
  const choices = anyOf ?? oneOf
  if (choices) return [...new Set(choices.map(typeHtml))].join(' or ')
  if (items) return 'list'
  if (properties) return 'object'
  return escapeHtml([type ?? 'object'].flat().join(' or '))
}
