import { visibleText } from '../../lib/words/visible-text.ts'

const MOST_NAMES = 20

const shown = (name: string): string => visibleText(name) || 'a name without a visible character'

/** A name that another person or program chose. */
export function ShownName({ name }: { name: string }) {
  return <bdi className="font-mono">{shown(name)}</bdi>
}

/** Names, as many as a note can contain. */
export function Names({ names }: { names: readonly string[] }) {
  const more = names.length - MOST_NAMES
  return (
    <>
      <span className="font-mono">{names.slice(0, MOST_NAMES).map(shown).join(', ')}</span>
      {more > 0 && ` and ${more} more`}
    </>
  )
}
