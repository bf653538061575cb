import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** The life of a change that is shown before the server has made it: `update` changes the cached answer at once, a
 * failure puts back what was there, and in the end the answer is fetched again. Changes of one answer are sent one
 * after another, and only the last of them fetches, so that an answer in between never shows an older state. */
export function optimistic<Cached, Variables>(
  client: QueryClient,
  queryKey: QueryKey,
  update: (cached: Cached, variables: Variables) => Cached,
) {
  return {
    mutationKey: queryKey,
    scope: { id: queryKey.join(' ') },
    onMutate: async (variables: Variables) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData<Cached>(queryKey)
      if (before !== undefined) client.setQueryData<Cached>(queryKey, update(before, variables))
      return { before }
    },
    onError: (_error: unknown, _variables: Variables, context: { before: unknown } | undefined) => {
      if (context?.before !== undefined) client.setQueryData(queryKey, context.before)
    },
    onSettled: async () => {
      const isLast = client.isMutating({ mutationKey: queryKey }) <= 1
      if (isLast) await client.invalidateQueries({ queryKey })
    },
  }
}
