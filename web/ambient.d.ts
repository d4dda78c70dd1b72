// A style sheet imported by Vite becomes a file beside the script.

declare module '*.css'

// Only the address of the style sheet.
declare module '*.css?url' {
  const path: string
  export default path
}
