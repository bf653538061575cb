import { parseTemplate, partNames, TemplateError } from '@keyferry/contract/env/template'
import type { BundleItem } from '../calls/answers.ts'
import { capital } from '../words/counted.ts'

/** The names in a template's text, or why the text is no template. */
export function templateIn(text: string): { parts: readonly string[]; problem: string | null } {
  try {
    return { parts: partNames(parseTemplate(text)), problem: null }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { parts: [], problem: `${capital(error.message)}.` }
  }
}

/** The names among `parts` that a bundle does not deliver as ordinary values. */
export function missingIn(
  items: readonly Pick<BundleItem, 'name' | 'template_parts'>[],
  parts: readonly string[],
): string[] {
  const usable = new Set(items.filter((item) => item.template_parts === undefined).map(({ name }) => name))
  return parts.filter((name) => !usable.has(name))
}

/** What a value is built from, as the end of a sentence. */
export function builtFrom(parts: readonly string[]): string {
  return parts.length === 0 ? 'built from no other value' : `built from ${parts.join(', ')}`
}
