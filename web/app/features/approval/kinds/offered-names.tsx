import type { NamesOffer } from '../../../lib/calls/answers.ts'
import { counted } from '../../../lib/words/counted.ts'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import { Quiet } from '../loaded.tsx'

/** The names that the terminal would list. */
export function OfferedNames({ bundle, names, bundles, left_out }: NamesOffer) {
  if (bundle !== null && names.length === 0) return <Quiet>This bundle delivers no names.</Quiet>
  if (bundle !== null) {
    const rows = names.map(({ name, is_secret, required }) => ({
      name,
      note: `${is_secret ? 'secret' : 'not secret'}${required ? ', required' : ''}`,
    }))
    return <Rows label="Names to list" rows={rows} />
  }
  const rows = bundles.map(({ name, key_count }) => ({ name, note: counted(key_count, 'key') }))
  return (
    <>
      {rows.length === 0 ? (
        <Quiet>There are no bundles to list.</Quiet>
      ) : (
        <Rows label="Bundles to list" rows={rows} />
      )}
      {left_out > 0 && (
        <p className="mt-2 text-sm text-ink-soft">
          {left_out === 1
            ? '1 bundle is left out: its rules do not allow this list.'
            : `${left_out} bundles are left out: their rules do not allow this list.`}
        </p>
      )}
    </>
  )
}

function Rows({ label, rows }: { label: string; rows: readonly { name: string; note: string }[] }) {
  return (
    <VirtualList
      label={label}
      items={rows}
      keyOf={({ name }) => name}
      rowHeight={42}
      render={({ name, note }) => (
        <p className="flex flex-wrap items-baseline gap-x-3 px-3 py-2.5">
          <span className="min-w-0 flex-1 font-mono text-sm font-medium break-all">{name}</span>
          <span className="text-xs text-ink-soft">{note}</span>
        </p>
      )}
    />
  )
}
