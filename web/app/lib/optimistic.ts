import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** The life of a change that is shown before the server has made it: `update` changes the cached answer at once, a failure
 * puts back what was there, and in the end the answer is fetched again. */
export function optimistic<Cached, Variables>(
  client: QueryClient,
  queryKey: QueryKey,
  update: (cached: Cached, variables: Variables) => Cached,
) {
  return {
    onMutate: async (variables: Variables) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData<Cached>(queryKey)
      if (before !== undefined) client.setQueryData<Cached>(queryKey, update(before, variables))
      return { before }
    },
    onError: (
      _error: unknown,
      _variables: Variables,
      context: { before: Cached | undefined } | undefined,
    ) => {
      if (context?.before !== undefined) client.setQueryData<Cached>(queryKey, context.before)
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  }
}
