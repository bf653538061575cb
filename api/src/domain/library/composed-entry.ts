import { LIMITS } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { DomainError } from '../base/errors.ts'
import type { Deadlines } from './key-lifetime.ts'
import { composed, leastComposedBytes, type TemplateParts, type TemplateUses } from './template.ts'

/*
 * What becomes of a template in a bundle. Its names mean what this bundle delivers, so one template serves two
 * environments. A part cannot be a template itself. A composed value is secret if one of its parts is, and it expires
 * with the first of them.
 */

/** What a bundle's entry needs so that values can be composed of it. `isLong`: the value is wanted, but too long to be
 * kept with the list, or composed of others when its turn comes. `bytes`: of the stored value. */
export type Composable = {
  /** Null for an entry that is not a library key; then `version` is null too. */
  id: string | null
  name: string
  version: number | null
  value: Plaintext | null
  is_secret: boolean
  isLong: boolean
  bytes: number
  templateParts: TemplateParts
  templateUses: TemplateUses
  /** Of a template that was read with its bundle. */
  composition?: Composition
} & Deadlines

/** `parts`: the entries that the value is built from. `missing`: names that the bundle does not deliver, or delivers by
 * another template. `isTooLong`: the value would be longer than any value may be. `text`: of the template, where it was
 * read. `leastBytes`: of the value. */
type Composition = {
  parts: readonly Composable[]
  missing: readonly string[]
  isTooLong: boolean
  text: Plaintext | null
  leastBytes: number
}

/** The same entries, with what the bundle composes in the place of templates. Their values are null until `filled`
 * composes them, because a short template can stand for a long value, and a list can contain thousands of them.
 * @param all every entry of the bundle */
export function withComposed<Entry extends Composable>(
  entries: readonly Entry[],
  all: readonly Composable[],
): Entry[] {
  const byName = new Map(all.map((entry) => [entry.name, entry]))
  return entries.map((entry) => (entry.templateParts === null ? entry : composedEntry(entry, byName)))
}

function composedEntry<Entry extends Composable>(entry: Entry, byName: ReadonlyMap<string, Composable>) {
  const names = entry.templateParts ?? []
  const found = names.flatMap((name) => byName.get(name) ?? [])
  const parts = found.filter(({ templateParts }) => templateParts === null)
  const usable = new Set(parts.map(({ name }) => name))
  const missing = names.filter((name) => !usable.has(name))
  const sources = [entry, ...parts]
  const leastBytes = leastComposedBytes(
    { bytes: entry.bytes, templateUses: entry.templateUses ?? [] },
    (name) => byName.get(name)?.bytes ?? 0,
  )
  const isWanted = missing.length === 0 && sources.every(({ value, isLong }) => value !== null || isLong)
  const isTooLong = isWanted && leastBytes > LIMITS.valueBytes
  return {
    ...entry,
    value: null,
    is_secret: [entry, ...found].some(({ is_secret }) => is_secret),
    expires_at: earliest(sources.map(({ expires_at }) => expires_at)),
    rotate_at: earliest(sources.map(({ rotate_at }) => rotate_at)),
    isLong: isWanted && !isTooLong,
    composition: { parts, missing, isTooLong, text: entry.value, leastBytes },
  }
}

/** The stored values that an entry still needs, by entry: its own, or those of its template's text and parts. */
export function unreadSources(entry: Composable): readonly Composable[] {
  const { composition } = entry
  if (composition === undefined) return [entry]
  const parts = composition.parts.filter(({ value }) => value === null)
  return composition.text === null ? [entry, ...parts] : parts
}

/** A template's entry with its value; null where a source was not read.
 * @param read the values of `unreadSources`, by name */
export function filled<Entry extends Composable>(entry: Entry, read: ReadonlyMap<string, Plaintext>): Entry {
  const { composition, isLong } = entry
  const text = composition?.text ?? read.get(entry.name)
  if (composition === undefined || text === undefined || !isLong) return entry
  const known = new Map(composition.parts.map((part) => [part.name, part.value ?? read.get(part.name)]))
  const value = composed(text, (name) => known.get(name) ?? null)
  if (value !== 'too_long') return { ...entry, value }
  return { ...entry, composition: { ...composition, isTooLong: true } }
}

/** Bytes of value that come into memory with an entry when its turn comes. */
export function bytesToCome({ isLong, composition }: Pick<Composable, 'isLong' | 'composition'>): number {
  return isLong ? (composition?.leastBytes ?? LIMITS.valueBytes) : 0
}

/** @throws DomainError invalid (`details.names`): an entry lacks a part (`details.missing_parts`), or is too long */
export function requireComposed(entries: readonly Composable[]): void {
  for (const { name, composition } of entries) {
    if (composition === undefined) continue
    const { missing, isTooLong } = composition
    if (missing.length > 0) throw partsMissing(name, missing)
    if (isTooLong) {
      const message = `the composed value ${name} is longer than ${LIMITS.valueBytes} bytes: shorten its parts, or leave it out`
      throw new DomainError('invalid', message, { details: { names: [name] } })
    }
  }
}

function partsMissing(name: string, missing: readonly string[]): DomainError {
  const message = `${name} is built from ${missing.join(', ')}, which the bundle does not deliver as an ordinary value: add it to the bundle, or leave ${name} out`
  return new DomainError('invalid', message, { details: { names: [name], missing_parts: missing } })
}

function earliest(times: readonly (string | null)[]): string | null {
  return times.filter((time) => time !== null).toSorted()[0] ?? null
}
