/** The number of the newest appended entry and when it was appended; null for a text that is no note. */
export function checkpointIn(note: string): { seq: number; at: string } | null {
  const [, , seq, , epochAndTime] = note.split('\n')
  const at = epochAndTime?.split(' ')[1]
  return seq === undefined || at === undefined ? null : { seq: Number(seq), at }
}

/** Where the next part of an export begins; null after the last part. */
export function nextFrom(text: string): number | null {
  const last: unknown = JSON.parse(text.trimEnd().split('\n').at(-1) ?? 'null')
  if (typeof last !== 'object' || last === null || !('next_from_seq' in last)) return null
  return typeof last.next_from_seq === 'number' ? last.next_from_seq : null
}
