import type { Composable } from '../domain/library/composed-entry.ts'

/** What an answer tells of an entry that its bundle composes; nothing for any other entry. */
export function presentComposition({ templateParts, composition }: Composable) {
  if (templateParts === null) return {}
  return { template_parts: [...templateParts], missing_parts: [...(composition?.missing ?? [])] }
}
