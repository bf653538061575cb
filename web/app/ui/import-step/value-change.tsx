/** A value before and after, where both may be read; nothing where it stays. */
export function ValueChange({ before, after }: { before: string | undefined; after: string | undefined }) {
  if (before === after || (before === undefined && after === undefined)) return null
  return (
    <p translate="no" className="mt-0.5 font-mono text-xs [overflow-wrap:anywhere]">
      {before !== undefined && <del className="text-ink-soft">{shortened(before)}</del>}
      {after !== undefined && (
        <>
          {before !== undefined && <span aria-hidden> → </span>}
          <ins className="no-underline">{shortened(after)}</ins>
        </>
      )}
    </p>
  )
}

const SHOWN = 80

function shortened(value: string): string {
  if (value === '') return '(empty)'
  return value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value
}
