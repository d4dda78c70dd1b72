// The Markdown of our descriptions as HTML: paragraphs, headings, tables, bold, code and links.

import { escapeHtml } from '#http/pages.ts'

export function inline(text: string): string {
  return escapeHtml(text)
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
}

export function toHtml(markdown: string): string {
  return markdown
    .split(/\n{2,}/)
    .map(block)
    .join('\n')
}

function block(text: string): string {
  const [, title] = /^## (.+)$/.exec(text) ?? []
  if (title) {
    const id = title.toLowerCase().replaceAll(' ', '-')
    return `<h2 id="${id}">${inline(title)}</h2>`
  }
  return text.startsWith('|') ? table(text) : `<p>${inline(text.replaceAll('\n', ' '))}</p>`
}

function table(text: string): string {
  const [head = [], , ...rows] = text.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => inline(cell.trim())),
  )
  const cells = (row: readonly string[], tag: string) =>
    `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return (
    `<div class="wide"><table><thead>${cells(head, 'th')}</thead>` +
    `<tbody>${rows.map((row) => cells(row, 'td')).join('')}</tbody></table></div>`
  )
}
