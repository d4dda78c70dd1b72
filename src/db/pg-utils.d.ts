// Missing from the driver's own types: how it writes a value, for queries that we build ourselves.

declare module 'pg/lib/utils.js' {
  const utils: { prepareValue: (value: unknown) => string | Buffer | null }
  export default utils
}
