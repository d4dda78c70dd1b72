// What Vite makes of a style sheet that is imported: a file beside the script.

declare module '*.css'
