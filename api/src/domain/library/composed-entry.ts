import { LIMITS } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { DomainError } from '../base/errors.ts'
import type { Deadlines } from './key-lifetime.ts'
import { composed, type TemplateParts } from './template.ts'

/*
 * What becomes of a template in a bundle. Its names mean what this bundle delivers, so one template serves two
 * environments. A part cannot be a template itself. A composed value is secret if one of its parts is, and it expires
 * with the first of them.
 */

/** What a bundle's entry needs so that values can be composed of it. `isLong`: the value is wanted, but too long to be
 * read with the list. */
export type Composable = {
  /** Null for an entry that is not a library key; then `version` is null too. */
  id: string | null
  name: string
  version: number | null
  value: Plaintext | null
  is_secret: boolean
  isLong: boolean
  templateParts: TemplateParts
  /** Of a template that was read with its bundle. */
  composition?: Composition
} & Deadlines

/** `parts`: the entries that the value is built from. `missing`: names that the bundle does not deliver, or delivers by
 * another template. `isTooLong`: the value would be longer than any value may be. */
type Composition = {
  parts: readonly Composable[]
  missing: readonly string[]
  isTooLong: boolean
}

/** The same entries, with what their bundle delivers in the place of templates.
 * @param all every entry of the bundle */
export function withComposed<Entry extends Composable>(
  entries: readonly Entry[],
  all: readonly Composable[],
): Entry[] {
  const byName = new Map(all.map((entry) => [entry.name, entry]))
  return entries.map((entry) => (entry.templateParts === null ? entry : composedEntry(entry, byName)))
}

function composedEntry<Entry extends Composable>(
  entry: Entry,
  byName: ReadonlyMap<string, Composable>,
): Entry {
  const names = entry.templateParts ?? []
  const found = names.flatMap((name) => byName.get(name) ?? [])
  const parts = found.filter(({ templateParts }) => templateParts === null)
  const usable = new Set(parts.map(({ name }) => name))
  const missing = names.filter((name) => !usable.has(name))
  const sources = [entry, ...parts]
  // Each of the values is wanted, and at least one of them is too long to be read with the list.
  const isLong =
    missing.length === 0 &&
    sources.some((source) => source.isLong) &&
    sources.every(({ value, isLong: isSourceLong }) => value !== null || isSourceLong)
  const bound = {
    ...entry,
    is_secret: [entry, ...found].some(({ is_secret }) => is_secret),
    expires_at: earliest(sources.map(({ expires_at }) => expires_at)),
    rotate_at: earliest(sources.map(({ rotate_at }) => rotate_at)),
    isLong,
    composition: { parts, missing, isTooLong: false },
  }
  return isLong ? { ...bound, value: null } : filled(bound, (name) => byName.get(name)?.value ?? null)
}

/** A template's entry with its value; null where a value of a part is not given. The entry's own text must be in
 * `partValue` under the entry's name. */
export function filled<Entry extends Composable>(
  entry: Entry,
  partValue: (name: string) => Plaintext | null,
): Entry {
  const { composition } = entry
  const text = partValue(entry.name)
  if (composition === undefined || composition.missing.length > 0 || text === null)
    return { ...entry, value: null }
  const value = composed(text, partValue)
  if (value !== 'too_long') return { ...entry, value }
  return { ...entry, value: null, composition: { ...composition, isTooLong: true } }
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
