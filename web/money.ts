// Naira as people read it. By hand, because browsers disagree on how to write it, and the server's
// drawing must be the browser's to the letter.

export function formatNaira(amount: number): string {
  const [whole = '', kobo] = amount.toFixed(2).split('.')
  return `₦${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${kobo}`
}
