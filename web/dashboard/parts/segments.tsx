// A row of buttons, one of which is pressed.

type Props<Name extends string> = {
  label: string
  options: readonly Name[]
  names: Readonly<Record<Name, string>>
  chosen: Name
  choose: (name: Name) => void
}

export function Segments<Name extends string>(props: Props<Name>) {
  const { label, options, names, chosen, choose } = props
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {options.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === chosen}
          onClick={() => choose(each)}
        >
          {names[each]}
        </button>
      ))}
    </fieldset>
  )
}
