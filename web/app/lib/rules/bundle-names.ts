import { BUNDLE_NAME, hasWholeParts } from '@keyferry/contract/env/names'
import { LIMITS } from '@keyferry/contract/limits'

/** Why a text cannot name a bundle, or null. */
export function bundleNameProblem(name: string): string | null {
  if (name === '') return 'Give the bundle a name.'
  if (name.length > LIMITS.nameLength) return `Use at most ${LIMITS.nameLength} characters.`
  if (!BUNDLE_NAME.test(name)) return 'Use letters, digits, /, - and _ only.'
  if (!hasWholeParts(name)) return 'The name cannot begin or end with /, or contain //.'
  return null
}

/** The tags of a bundle, as the comma-separated text lists them. */
export function tagsOf({ tags }: { tags: string }): string[] {
  return tags.split(',').filter((tag) => tag !== '')
}
