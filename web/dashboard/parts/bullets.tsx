// A bulleted list in a dialog.

export function Bullets({ points }: { points: readonly string[] }) {
  return (
    <ul class="todo muted">
      {points.map((point) => (
        <li key={point}>{point}</li>
      ))}
    </ul>
  )
}
