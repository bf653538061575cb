import { type Dialect, isDialect } from '@keyferry/contract/env/dialects'

const LABELS: Readonly<Record<Dialect, string>> = {
  dotenv: 'npm dotenv, Node.js',
  shell: 'a shell',
  compose: 'Docker Compose',
}

/** What the `.env` text was written for: programs read quotes and backslashes differently. */
export function DialectField({ value, onChange }: { value: Dialect; onChange: (value: Dialect) => void }) {
  return (
    <label className="flex flex-wrap items-center gap-2 text-sm">
      The .env file was written for
      <select
        value={value}
        onChange={({ currentTarget }) => {
          if (isDialect(currentTarget.value)) onChange(currentTarget.value)
        }}
        className="field w-auto"
      >
        {Object.entries(LABELS).map(([dialect, label]) => (
          <option key={dialect} value={dialect}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}
