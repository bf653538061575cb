/** What an owner says of a bundle. `by_name`: nothing, so its name and its tags count. */
export const PRODUCTION = ['by_name', 'yes', 'no'] as const

export type Production = (typeof PRODUCTION)[number]

const PART = /^prod(uction)?\d*$/i

/** Whether a bundle is for production: an owner says so, or else a part of its name or one of its tags. */
export function isProduction(bundle: { name: string; tags: string; production: Production }): boolean {
  const { name, tags, production } = bundle
  if (production !== 'by_name') return production === 'yes'
  return [...name.split(/[/_-]/), ...tags.split(/[,/_-]/)].some((part) => PART.test(part))
}
