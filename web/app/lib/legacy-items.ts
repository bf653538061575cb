import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from './api.ts'
import { bundleKey } from './bundles.ts'
import { KEYS } from './keys.ts'

/** A legacy item by its name; `keyId` is the library key of that name, where there is one. */
export type LegacyItemPlace = { name: string; keyId: string | null }

/** Put a library key in a legacy item's place: the one of that name, or a new one with the item's value. */
export function useConvertLegacyItem(bundleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ name, keyId }: LegacyItemPlace) => {
      if (keyId === null) return await convertItem(bundleId, name)
      await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', {
        params: { bundle_id: bundleId, key_id: keyId },
      })
      return await deleteItem(bundleId, name)
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

async function convertItem(bundleId: string, name: string): Promise<void> {
  await call('POST', '/api/v1/bundles/{bundle_id}/items/{key_name}/convert', {
    params: { bundle_id: bundleId, key_name: name },
  })
}

async function deleteItem(bundleId: string, name: string): Promise<void> {
  await call('DELETE', '/api/v1/bundles/{bundle_id}/items/{key_name}', {
    params: { bundle_id: bundleId, key_name: name },
  })
}
