// Every string of search.

export const searchStrings = {
  label: 'Search',
  placeholder: 'Number, reference or name',
  hits: 'Search results',
  nothing: 'No results.',
} as const
