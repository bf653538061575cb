/*
 * A member can be limited to some bundles. What a membership reaches, it sees, receives and changes; all else answers
 * as an unknown id. Names decide, so a new bundle that fits is within reach at once, and a bundle with another name no
 * longer is. The limit is in the row of the membership. It does not count for an owner; it counts again if the owner
 * becomes a member.
 */

/** `patterns`: folders such as `partner/`, applications (a star before their name), or names of bundles. `since`: ISO
 * timestamp of the limit. Null: everything. */
export type BundleReach = { patterns: string[]; since: string } | null

/** Whether a membership sees, receives and changes a bundle of this name. Whole parts match, in any case. */
export function reaches(reach: BundleReach, bundleName: string): boolean {
  return reach === null || reach.patterns.some((pattern) => fits(partsOf(pattern), bundleName.toLowerCase()))
}

/** How names begin, how they end, or the whole name; in lower case. Storage asks the same of the names of bundles. */
type NameParts = { begin: string } | { end: string } | { whole: string }

export function partsOf(pattern: string): NameParts {
  const lower = pattern.toLowerCase()
  if (lower.endsWith('/')) return { begin: lower }
  return lower.startsWith('*/') ? { end: lower.slice(1) } : { whole: lower }
}

function fits(parts: NameParts, name: string): boolean {
  if ('begin' in parts) return name.startsWith(parts.begin)
  return 'end' in parts ? name.endsWith(parts.end) : name === parts.whole
}
