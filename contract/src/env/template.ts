import { LIMITS } from '../limits.ts'

/*
 * The text of a composed value. `${NAME}` stands for the value that the bundle delivers as NAME, `${NAME|uri}` for the
 * same value percent-encoded, and `$${` for the two characters `${`. Any other `$` stands for itself. A part is never
 * itself composed, so nothing here calls itself.
 */

/** Literal text, or the value of a part. */
type Piece = string | { readonly name: string; readonly isEncoded: boolean }

/** A text in the order in which it is written. */
export type Template = readonly Piece[]

/** A text that no template can be; the message says where, and repeats nothing of the text. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

const TOKEN = /\$\$\{|\$\{(?:(?<name>[A-Za-z0-9_]+)(?<encoding>\|uri)?\})?/g

/** @throws TemplateError a `${` that begins no part, a name that is too long, too many parts */
export function parseTemplate(text: string): Template {
  const pieces: Piece[] = []
  let end = 0
  for (const token of text.matchAll(TOKEN)) {
    pieces.push(text.slice(end, token.index), pieceOf(token))
    end = token.index + token[0].length
  }
  const template = [...pieces, text.slice(end)].filter((piece) => piece !== '')
  if (template.filter(isPart).length <= LIMITS.templateParts) return template
  throw new TemplateError(`a composed value can have at most ${LIMITS.templateParts} parts`)
}

function pieceOf({ 0: token, index, groups }: RegExpExecArray): Piece {
  if (token === '$${') return '${'
  const name = groups?.['name']
  if (name === undefined) {
    throw new TemplateError(
      `the \${ at character ${index + 1} must begin \${NAME} or \${NAME|uri}: write $\${ for the text \${`,
    )
  }
  if (name.length > LIMITS.nameLength) {
    throw new TemplateError(
      `the name at character ${index + 1} is longer than ${LIMITS.nameLength} characters`,
    )
  }
  return { name, isEncoded: groups?.['encoding'] !== undefined }
}

function isPart(piece: Piece): piece is Exclude<Piece, string> {
  return typeof piece !== 'string'
}

/** The names of a template's parts, once for each use, in order. */
export function partUses(template: Template): string[] {
  return template.filter(isPart).map(({ name }) => name)
}

/** The names of a template's parts, each once, in the order of their first use. */
export function partNames(template: Template): string[] {
  return [...new Set(partUses(template))]
}

/** The text with the values of its parts.
 * @param partValue is called with each name of `partNames`, as often as it is used */
export function composeTemplate(template: Template, partValue: (name: string) => string): string {
  return template
    .map((piece) => {
      if (!isPart(piece)) return piece
      const value = partValue(piece.name)
      return piece.isEncoded ? percentEncoded(value) : value
    })
    .join('')
}

/** The template whose result is this text. */
export function literalTemplate(text: string): string {
  return text.replaceAll('${', '$$${')
}

// All but the unreserved characters of RFC 3986, so that the value fits into every part of a URL.
function percentEncoded(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
