/** What an environment belongs to: `storefront` for `dev/storefront`. */
export function applicationOf(bundleName: string): string {
  return bundleName.slice(bundleName.lastIndexOf('/') + 1)
}

/** Which environment of its application a bundle is: `dev` for `dev/storefront`. Empty for a name without folders. */
export function environmentOf(bundleName: string): string {
  return bundleName.slice(0, Math.max(0, bundleName.lastIndexOf('/')))
}

/** Whether two bundles are environments of one application: their names end with the same part. */
export function areSiblings(name: string, other: string): boolean {
  return [name, other].every(environmentOf) && applicationOf(name) === applicationOf(other)
}

/** The environments of an application with this one among them, by name. */
export function siblingsOf<Bundle extends { name: string }>(
  name: string,
  bundles: readonly Bundle[],
): Bundle[] {
  return bundles
    .filter((bundle) => bundle.name === name || areSiblings(bundle.name, name))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}
