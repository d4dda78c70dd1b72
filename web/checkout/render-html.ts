// Renders a Preact tree of hook-free components to HTML. All text and attribute values are escaped.

import type { ComponentChildren, VNode } from 'preact'

// Void elements of HTML. SVG elements must be closed.
const VOID = new Set(['br', 'hr', 'img', 'input', 'link', 'meta'])
const NOT_ATTRIBUTES = new Set(['children', 'key', 'ref'])
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

// A component is called as a plain function, which works because the page’s components have no hooks. A void
// element, such as <img>, gets no closing tag.
export function renderHtml(node: ComponentChildren): string {
  if (node === null || node === undefined || typeof node === 'boolean') return ''
  if (Array.isArray(node)) return node.map(renderHtml).join('')
  if (typeof node !== 'object') return escapeHtml(String(node))
  const { type, props } = node as VNode<Record<string, unknown>>
  if (typeof type === 'function') {
    return renderHtml((type as (props: object) => ComponentChildren)(props))
  }
  const openingTag = `<${type}${renderAttributes(props)}>`
  const isVoid = VOID.has(type as string)
  return isVoid
    ? openingTag
    : `${openingTag}${renderHtml(props.children as ComponentChildren)}</${type}>`
}

// Omits event handlers, and props that are not attributes, such as `key`.
function renderAttributes(props: Record<string, unknown>): string {
  return Object.entries(props)
    .filter(([name]) => !NOT_ATTRIBUTES.has(name) && !/^on[A-Z]/.test(name))
    .map(([name, value]) => renderAttribute(name, value))
    .join('')
}

// A boolean attribute is present or absent; aria and data attributes (`isTristate`) are written as "true" or
// "false".
function renderAttribute(name: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  const isTristate = name.startsWith('aria-') || name.startsWith('data-')
  if (typeof value === 'boolean' && !isTristate) return value ? ` ${name}` : ''
  return ` ${name}="${escapeHtml(String(value))}"`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] as string)
}
