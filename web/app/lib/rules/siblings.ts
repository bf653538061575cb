/** What an environment belongs to: `storefront` for `dev/storefront`. */
export function applicationOf(bundleName: string): string {
  return bundleName.slice(bundleName.lastIndexOf('/') + 1)
}

/** Which environment of its application a bundle is: `dev` for `dev/storefront`. Empty for a name without folders. */
export function environmentOf(bundleName: string): string {
  return bundleName.slice(0, Math.max(0, bundleName.lastIndexOf('/')))
}

/** The environments of an application with this one among them, by name: bundles whose names end with the same part. */
export function siblingsOf<Bundle extends { name: string }>(
  name: string,
  bundles: readonly Bundle[],
): Bundle[] {
  const belongs = (other: string) =>
    other === name || (applicationOf(other) === applicationOf(name) && environmentOf(other) !== '')
  const isAlone = environmentOf(name) === ''
  return bundles
    .filter((bundle) => (isAlone ? bundle.name === name : belongs(bundle.name)))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}
