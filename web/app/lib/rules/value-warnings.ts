import { valueProblem as problemOfValue } from '@keyferry/contract/env/values'
import { MASK } from '@keyferry/contract/limits'

// They are invisible, or look like other characters.
const HIDDEN: readonly (readonly [RegExp, string])[] = [
  [/[\u00ad\u180e\u200b-\u200d\u2060\ufeff]/g, 'a zero-width character'],
  [/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, 'a mark that changes the direction of text'],
  [/[\u2018-\u201f]/g, 'a curly quote'],
]

const PEM_BEGIN = /-----BEGIN ([A-Z0-9 ]+)-----/g

/** Why a value is probably not what the person meant, in whole sentences; empty when nothing is strange. */
export function valueWarnings(value: string): string[] {
  const warnings: string[] = []
  if (value.endsWith('\n')) warnings.push('It ends with a line break.')
  else if (/\s$/.test(value)) warnings.push('It ends with blanks.')
  if (/^\s/.test(value)) warnings.push('It begins with blanks.')
  for (const [characters, what] of HIDDEN) {
    const found = [...new Set(value.match(characters))]
    if (found.length > 0) warnings.push(`It contains ${what} (${found.map(codePoint).join(', ')}).`)
  }
  if (value === MASK) warnings.push('It is the mask of a hidden value, not a value.')
  if (isTruncatedPem(value)) warnings.push('It looks like a PEM block that is cut off.')
  if (/^(["']).*\1$/s.test(value) && value.length > 1)
    warnings.push('The quotes around it become part of it.')
  return warnings
}

/** Why a value cannot be stored, as a sentence; null if it can. */
export function valueProblem(value: string): string | null {
  const problem = problemOfValue(value)
  return problem === null ? null : `The value ${problem}.`
}

function codePoint(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

function isTruncatedPem(value: string): boolean {
  const begun = [...value.matchAll(PEM_BEGIN)]
  if (begun.some(([, label]) => !value.includes(`-----END ${label}-----`))) return true
  return begun.length === 0 && /-----END [A-Z0-9 ]+-----/.test(value)
}
