// Every string of the keyboard shortcuts.

export const shortcutsStrings = {
  open: 'Keyboard shortcuts',
  title: 'Keyboard shortcuts',
  everywhere: 'Everywhere',
  inLists: 'In lists',
  goTo: 'Go to',
  search: 'Search',
  help: 'Show this list',
  next: 'Next item',
  previous: 'Previous item',
  openItem: 'Open the item',
  close: 'Close',
  or: 'or',
  followedBy: 'then',
  enabled: 'Single-key shortcuts',
  enabledHint: 'Turn them off if they get in the way of speech input. ⌘K and Ctrl+K always work.',
  pending: 'Go to: press a letter',
  noItems: 'No items in this view.',
} as const
