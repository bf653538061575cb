import { EntryName } from './entry-name.tsx'

/** Names in a box that scrolls. */
export function NameList({ label, names }: { label: string; names: readonly string[] }) {
  return (
    <ul
      aria-label={label}
      className="max-h-40 list-disc overflow-auto pl-5 font-mono text-sm [overflow-wrap:anywhere] text-ink"
    >
      {names.map((name) => (
        <li key={name}>
          <EntryName name={name} />
        </li>
      ))}
    </ul>
  )
}
