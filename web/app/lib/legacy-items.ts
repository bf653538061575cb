import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from './api.ts'
import { bundleKey } from './bundles.ts'
import { KEYS } from './keys.ts'

/** A legacy item as a library key: `keyId` when the library has a key of that name, else the value to create it with. */
export type Conversion = { name: string } & ({ keyId: string } | { value: string; isSecret: boolean })

/** Put a library key in a legacy item's place: created where there is none, attached, then the item deleted. */
export function useConvertLegacyItem(bundleId: string) {
  const client = useQueryClient()
  return useMutation({
    gcTime: 0,
    mutationFn: async (conversion: Conversion) => {
      const keyId = 'keyId' in conversion ? conversion.keyId : await createKey(conversion)
      await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', {
        params: { bundle_id: bundleId, key_id: keyId },
      })
      await deleteItem(bundleId, conversion.name)
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: bundleKey(bundleId) })
      await client.invalidateQueries({ queryKey: KEYS })
    },
  })
}

export function useDeleteLegacyItem(bundleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => deleteItem(bundleId, name),
    onSettled: () => client.invalidateQueries({ queryKey: bundleKey(bundleId) }),
  })
}

async function createKey({ name, value, isSecret }: { name: string; value: string; isSecret: boolean }) {
  const key = await call('POST', '/api/v1/keys', { body: { name, value, is_secret: isSecret } })
  return key.id
}

async function deleteItem(bundleId: string, name: string) {
  await call('DELETE', '/api/v1/bundles/{bundle_id}/items/{key_name}', {
    params: { bundle_id: bundleId, key_name: name },
  })
}
