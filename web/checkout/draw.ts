// A Preact tree as text, for components that are plain functions without hooks, which all of this
// page's are. Attribute values and text are escaped; nothing goes in as it is.

import type { ComponentChildren, VNode } from 'preact'

// Of HTML. Parts of an SVG are closed like anything else: unclosed, they would hold what follows.
const VOID = new Set(['br', 'hr', 'img', 'input', 'link', 'meta'])
const NOT_ATTRIBUTES = new Set(['children', 'key', 'ref'])
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export function draw(node: ComponentChildren): string {
  if (node === null || node === undefined || typeof node === 'boolean') return ''
  if (Array.isArray(node)) return node.map(draw).join('')
  if (typeof node !== 'object') return escaped(String(node))
  const { type, props } = node as VNode<Record<string, unknown>>
  if (typeof type === 'function') {
    return draw((type as (props: object) => ComponentChildren)(props))
  }
  const open = `<${type}${drawAttributes(props)}>`
  const isVoid = VOID.has(type as string)
  return isVoid ? open : `${open}${draw(props.children as ComponentChildren)}</${type}>`
}

function drawAttributes(props: Record<string, unknown>): string {
  return Object.entries(props)
    .filter(([name]) => !NOT_ATTRIBUTES.has(name) && !/^on[A-Z]/.test(name))
    .map(([name, value]) => drawAttribute(name, value))
    .join('')
}

function drawAttribute(name: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  const isSaid = name.startsWith('aria-') || name.startsWith('data-')
  if (typeof value === 'boolean' && !isSaid) return value ? ` ${name}` : ''
  return ` ${name}="${escaped(String(value))}"`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] as string)
}
