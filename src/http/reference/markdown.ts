// Renders the Markdown of our descriptions and guides as HTML: paragraphs, headings, lists, quotes, tables,
// code, bold and links. Blocks of HTML, which the guides use for pictures, are left out.

import { escapeHtml } from '#http/pages.ts'

// Returns the address of a link, or undefined to keep only its text.
type Resolve = (href: string) => string | undefined

// Renders the text of one paragraph, heading, item or cell: links, code and bold.
export function inlineHtml(text: string, resolve: Resolve = (href) => href): string {
  return escapeHtml(text.replaceAll(/<a id="[^"]*"><\/a>/g, ''))
    .replaceAll(/\[([^[\]]+)\]\(([^()\s]+)\)/g, (_, words: string, href: string) => {
      const target = resolve(href)
      return target === undefined ? words : `<a href="${target}">${words}</a>`
    })
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
}

// Renders a whole document. `resolve` converts the address of each link.
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

// Decides by its first characters which kind of block a line begins.
function blockKind(line: string): Block['kind'] {
  if (FENCE.test(line)) return 'code'
  if (ITEM.test(line)) return 'list'
  if (line.startsWith('|')) return 'table'
  if (line.startsWith('> ')) return 'quote'
  if (/^#{1,4} /.test(line)) return 'heading'
  return /^<(?:!--|\/?p\b)/.test(line) ? 'html' : 'text'
}

// Splits a document into blocks. A blank line ends a block, and so does a line that begins a block of another
// kind. A block of code continues until its closing fence. A list also continues after a blank line if an
// item or an indented line follows.
function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let current: Block | undefined
  for (const [index, line] of lines.entries()) {
    if (current?.kind === 'code') {
      if (FENCE.test(line)) current = undefined
      else current.lines.push(line)
    } else if (line.trim() === '') {
      if (current?.kind === 'list' && /^(?: {2,}\S|- |\d+\. )/.test(lines[index + 1] ?? '')) {
        current.lines.push('')
      } else current = undefined
    } else if (current && continuesBlock(current, line)) current.lines.push(line)
    else {
      const kind = blockKind(line)
      current = { kind, lines: [line] }
      blocks.push(current)
      if (kind === 'heading') current = undefined
    }
  }
  return blocks
}

// Returns whether a line that is not blank belongs to the block. A list takes another item, an indented line,
// and any line that does not follow a blank one.
function continuesBlock({ kind, lines }: Block, line: string): boolean {
  const next = blockKind(line)
  if (kind === 'list') return next === 'list' || INDENTED.test(line) || lines.at(-1) !== ''
  return next === kind || (next === 'text' && kind === 'html')
}

// Renders a block in the way of its kind. `resolve` converts the address of each link.
function blockHtml({ kind, lines }: Block, resolve: Resolve | undefined): string {
  const [first = ''] = lines
  const paragraph = () => inlineHtml(lines.map((line) => line.trim()).join(' '), resolve)
  switch (kind) {
    case 'code':
      return codeHtml(lines)
    case 'heading':
      return headingHtml(first, resolve)
    case 'list':
      return listHtml(lines, resolve)
    case 'table':
      return tableHtml(lines, resolve)
    case 'quote':
      return `<blockquote>${toHtml(lines.map((line) => line.slice(2)).join('\n'), resolve)}</blockquote>`
    case 'html': // A picture of a guide, which only GitHub shows.
      return ''
    case 'text':
      return `<p>${paragraph()}</p>`
  }
}

// Renders a block of code. Its fence may name a file, as in ```js day.mjs, which becomes the caption.
function codeHtml([fence = '', ...lines]: readonly string[]): string {
  const [, file] = /^```\w+ (\S+)/.exec(fence) ?? []
  const caption = file ? `<figcaption><code>${escapeHtml(file)}</code></figcaption>` : ''
  const label = escapeHtml(file ?? 'Code')
  return (
    `<figure class="code">${caption}<pre tabindex="0" role="region" aria-label="${label}">` +
    `<code>${escapeHtml(lines.join('\n'))}</code></pre></figure>`
  )
}

// Renders a heading with the id that GitHub gives it, so that links to it work on GitHub and in the service.
function headingHtml(line: string, resolve: Resolve | undefined): string {
  const [, marks = '', title = ''] = /^(#+) (.+)$/.exec(line) ?? []
  const words = title.replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1').toLowerCase()
  const id = words.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
  return `<h${marks.length} id="${id}">${inlineHtml(title, resolve)}</h${marks.length}>`
}

// Renders a list. Its items may contain paragraphs and code, which are indented.
function listHtml(lines: readonly string[], resolve: Resolve | undefined): string {
  const items: string[][] = []
  for (const line of lines) {
    if (ITEM.test(line)) items.push([line.replace(ITEM, '')])
    else items.at(-1)?.push(line.replace(/^ {2,3}/, ''))
  }
  const rows = items.map((item) => {
    const isSimple = !item.includes('') && !item.some((line) => FENCE.test(line))
    const html = isSimple
      ? inlineHtml(item.map((line) => line.trim()).join(' '), resolve)
      : toHtml(item.join('\n'), resolve)
    return `<li>${html}</li>`
  })
  const tag = /^\d/.test(lines[0] ?? '') ? 'ol' : 'ul'
  return `<${tag}>${rows.join('')}</${tag}>`
}

// Renders a table. Its second line, which only separates the header from the rows, is skipped. Bars separate
// the cells, except a bar after a backslash, which belongs to the text of a cell.
function tableHtml(
  [head = '', , ...rows]: readonly string[],
  resolve: Resolve | undefined,
): string {
  const rowHtml = (line: string, tag: string) => {
    const texts = line.split(/(?<!\\)\|/).slice(1, -1)
    const parts = texts.map((text) => inlineHtml(text.trim().replaceAll('\\|', '|'), resolve))
    return `<tr>${parts.map((part) => `<${tag}>${part}</${tag}>`).join('')}</tr>`
  }
  return (
    `<div class="wide"><table><thead>${rowHtml(head, 'th')}</thead>` +
    `<tbody>${rows.map((row) => rowHtml(row, 'td')).join('')}</tbody></table></div>`
  )
}
