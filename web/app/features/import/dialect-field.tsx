import { type Dialect, isDialect } from '@keyferry/contract/env/dialects'
import { Select } from '../../ui/select.tsx'

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
      <Select
        value={value}
        options={Object.entries(LABELS)}
        onChange={(text) => isDialect(text) && onChange(text)}
        className="field w-auto"
      />
    </label>
  )
}
