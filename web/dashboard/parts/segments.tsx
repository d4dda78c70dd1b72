// A row of buttons that choose one of several options. The button of the current option is pressed.

type Props<Name extends string> = {
  label: string
  options: readonly Name[]
  names: Readonly<Record<Name, string>>
  chosen: Name
  choose: (name: Name) => void
}

// A row of buttons of which exactly one is pressed.
export function Segments<Name extends string>(props: Props<Name>) {
  const { label, options, names, chosen, choose } = props
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === chosen}
          onClick={() => choose(option)}
        >
          {names[option]}
        </button>
      ))}
    </fieldset>
  )
}
