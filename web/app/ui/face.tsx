import { classNames } from './class-names.ts'

const TINTS = ['face-a', 'face-b', 'face-c', 'face-d'] as const

/** A person's initials, in a colour that stays theirs. What is beside it says the name. */
export function Face({ id, name, className }: { id: string; name: string; className?: string }) {
  const tint = TINTS[Number.parseInt(id.slice(-1), 16) % TINTS.length]
  // Drawn by the style, so that they are not a text to read out.
  return <span data-initials={initialsOf(name)} className={classNames('face', tint, className)} />
}

function initialsOf(name: string): string {
  const [first = '', second = ''] = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const [letters = ''] = second === '' ? (/^..?/u.exec(first) ?? []) : [firstOf(first) + firstOf(second)]
  return letters.toUpperCase()
}

const firstOf = (word: string): string => /^./u.exec(word)?.[0] ?? ''
