// Renders the Markdown of our descriptions and guides as HTML: paragraphs, headings, lists, quotes, tables,
// code, bold and links. HTML within it and pictures are left out.

import { escapeHtml } from '#http/pages.ts'

// Returns the address of a link, or undefined to keep only its text.
type Resolve = (href: string) => string | undefined

export function inline(text: string, resolve: Resolve = (href) => href): string {
  return escapeHtml(text.replaceAll(/<a id="[^"]*"><\/a>/g, ''))
    .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words: string, href: string) => {
      const target = resolve(href)
      return target === undefined ? words : `<a href="${target}">${words}</a>`
    })
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
}

export function toHtml(markdown: string, resolve?: Resolve): string {
  return blocksOf(markdown.split('\n'))
    .map((block) => blockHtml(block, resolve))
    .join('\n')
}

type Block = {
  kind: 'code' | 'list' | 'table' | 'quote' | 'heading' | 'html' | 'text'
  lines: string[]
}

const FENCE = /^```/
const ITEM = /^(?:- |\d+\. )/
const INDENTED = /^ {2,}\S/

function kindOf(line: string): Block['kind'] {
  if (FENCE.test(line)) return 'code'
  if (ITEM.test(line)) return 'list'
  if (line.startsWith('|')) return 'table'
  if (line.startsWith('> ')) return 'quote'
  if (/^#{1,4} /.test(line)) return 'heading'
  return /^<(?:!--|\/?p\b)/.test(line) ? 'html' : 'text'
}

// Lines without a blank line between them are one block, unless a block of another kind begins. Code
// continues until its closing fence, and a list continues as long as lines are indented or items follow.
function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let current: Block | undefined
  for (const [at, line] of lines.entries()) {
    if (current?.kind === 'code') {
      if (FENCE.test(line)) current = undefined
      else current.lines.push(line)
    } else if (line.trim() === '') {
      if (current?.kind === 'list' && /^(?: {2,}\S|- |\d+\. )/.test(lines[at + 1] ?? '')) {
        current.lines.push('')
      } else current = undefined
    } else if (current && continues(current, line)) current.lines.push(line)
    else {
      const kind = kindOf(line)
      current = { kind, lines: [line] }
      blocks.push(current)
      if (kind === 'heading') current = undefined
    }
  }
  return blocks
}

function continues({ kind, lines }: Block, line: string): boolean {
  const next = kindOf(line)
  if (kind === 'list') return next === 'list' || INDENTED.test(line) || lines.at(-1) !== ''
  return next === kind || (next === 'text' && kind === 'html')
}

function blockHtml({ kind, lines }: Block, resolve: Resolve | undefined): string {
  const [first = ''] = lines
  const flow = () => inline(lines.map((line) => line.trim()).join(' '), resolve)
  switch (kind) {
    case 'code':
      return code(lines)
    case 'heading':
      return heading(first, resolve)
    case 'list':
      return list(lines, resolve)
    case 'table':
      return table(lines, resolve)
    case 'quote':
      return `<blockquote>${toHtml(lines.map((line) => line.slice(2)).join('\n'), resolve)}</blockquote>`
    case 'html':
      return ''
    case 'text':
      return `<p>${flow()}</p>`
  }
}

// The fence may name a file, as in ```js day.mjs.
function code([fence = '', ...lines]: readonly string[]): string {
  const [, file] = /^```\w+ (\S+)/.exec(fence) ?? []
  const caption = file ? `<figcaption><code>${escapeHtml(file)}</code></figcaption>` : ''
  const label = escapeHtml(file ?? 'Code')
  return (
    `<figure class="code">${caption}<pre tabindex="0" role="region" aria-label="${label}">` +
    `<code>${escapeHtml(lines.join('\n'))}</code></pre></figure>`
  )
}

// The id is the one that GitHub makes, so that links to a heading work both there and in the service.
function heading(line: string, resolve: Resolve | undefined): string {
  const [, marks = '', title = ''] = /^(#+) (.+)$/.exec(line) ?? []
  const words = title.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').toLowerCase()
  const id = words.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
  return `<h${marks.length} id="${id}">${inline(title, resolve)}</h${marks.length}>`
}

function list(lines: readonly string[], resolve: Resolve | undefined): string {
  const items: string[][] = []
  for (const line of lines) {
    if (ITEM.test(line)) items.push([line.replace(ITEM, '')])
    else items.at(-1)?.push(line.replace(/^ {2,3}/, ''))
  }
  const rows = items.map((item) => {
    const isSimple = !item.includes('') && !item.some((line) => FENCE.test(line))
    const html = isSimple
      ? inline(item.map((line) => line.trim()).join(' '), resolve)
      : toHtml(item.join('\n'), resolve)
    return `<li>${html}</li>`
  })
  const tag = /^\d/.test(lines[0] ?? '') ? 'ol' : 'ul'
  return `<${tag}>${rows.join('')}</${tag}>`
}

function table([head = '', , ...rows]: readonly string[], resolve: Resolve | undefined): string {
  const cells = (line: string, tag: string) => {
    const texts = line.split(/(?<!\\)\|/).slice(1, -1)
    const parts = texts.map((text) => inline(text.trim().replaceAll('\\|', '|'), resolve))
    return `<tr>${parts.map((part) => `<${tag}>${part}</${tag}>`).join('')}</tr>`
  }
  return (
    `<div class="wide"><table><thead>${cells(head, 'th')}</thead>` +
    `<tbody>${rows.map((row) => cells(row, 'td')).join('')}</tbody></table></div>`
  )
}
