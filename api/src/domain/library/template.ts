import { LIMITS } from '@keyferry/contract'
import {
  composeTemplate,
  parseTemplate,
  partNames,
  partUses,
  TemplateError,
} from '@keyferry/contract/env/template'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { DomainError } from '../base/errors.ts'

/*
 * A key can contain a template instead of a value: what a bundle delivers for it is composed of other values that the
 * same bundle delivers. The grammar is in contract/src/env/template.ts. Which keys are templates is their owner's
 * choice, so `${` in any other value has no meaning.
 */

/** The names that a template is built from; null for a value that is not a template. */
export type TemplateParts = readonly string[] | null

/** The names of a template's parts, once for each use; null for a value that is not a template. */
export type TemplateUses = readonly string[] | null

/** @throws DomainError invalid: not a template, or too many parts */
export function templateUsesOf(text: Plaintext): readonly string[] {
  try {
    return partUses(parseTemplate(text.reveal()))
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new DomainError('invalid', error.message, { details: { field: 'value' } })
  }
}

/** The least bytes of what a template delivers, known without any text. An encoded part is at most three times as long
 * as its value, so the true size is at most three times this one, and the names in the text.
 * @param bytes of the template's text */
export function leastComposedBytes(
  { bytes, templateUses }: { bytes: number; templateUses: readonly string[] },
  partBytes: (name: string) => number,
): number {
  const names = templateUses.reduce((total, { length }) => total + length + '${|uri}'.length, 0)
  // Of the text, only `$${` becomes shorter: to two thirds.
  const literal = Math.floor((Math.max(0, bytes - names) * 2) / 3)
  return templateUses.reduce((total, name) => total + partBytes(name), literal)
}

/** What a template delivers; `too_long`: no value may be that long.
 * @param partValue null where a value is missing or was not read
 * @returns null where a part has no value */
export function composed(
  text: Plaintext,
  partValue: (name: string) => Plaintext | null,
): Plaintext | 'too_long' | null {
  const template = parseTemplate(text.reveal())
  const values = new Map(partNames(template).map((name) => [name, partValue(name)]))
  if ([...values.values()].includes(null)) return null
  const size = { bytes: text.bytes().length, templateUses: partUses(template) }
  const least = leastComposedBytes(size, (name) => values.get(name)?.bytes().length ?? 0)
  if (least > LIMITS.valueBytes) return 'too_long'
  const value = Plaintext.of(composeTemplate(template, (name) => values.get(name)?.reveal() ?? ''))
  return value.bytes().length > LIMITS.valueBytes ? 'too_long' : value
}
