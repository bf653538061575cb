import type { SignedClient } from '../e2e/signed-client.ts'

export type Library = { readonly keyId: string; readonly bundleId: string; readonly names: readonly string[] }

const VALUE = 'x'.repeat(40)

/** Make a bundle with `size` secret keys in it. */
export async function makeBundle({ call }: SignedClient, name: string, size: number): Promise<Library> {
  const bundle = await call('POST', '/api/v1/bundles', { body: { name } })
  const names = Array.from({ length: size }, (_, count) => `${name.toUpperCase()}_${count}`)
  const ids: string[] = []
  for (const each of names) {
    const key = await call('POST', '/api/v1/keys', { body: { name: each, value: VALUE } })
    const params = { bundle_id: bundle.id, key_id: key.id }
    await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params })
    ids.push(key.id)
  }
  const [keyId = ''] = ids
  return { keyId, bundleId: bundle.id, names }
}
