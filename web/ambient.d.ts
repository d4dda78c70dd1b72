// Types for imports of style sheets. Vite writes an imported style sheet to a file alongside the script.

declare module '*.css'

// Imports only the URL of the style sheet.
declare module '*.css?url' {
  const path: string
  export default path
}
