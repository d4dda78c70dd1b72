// What the driver's own types leave out: how it writes a value, for queries of one's own making.

declare module 'pg/lib/utils.js' {
  const utils: { prepareValue: (value: unknown) => string | Buffer | null }
  export default utils
}
