import type { AnswerOf, CallInput } from '@keyferry/contract/client'
import {
  type QueryClient,
  type QueryKey,
  type UseQueryOptions,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type Called, call } from './call.ts'
import { isPassing } from './failure.ts'
import { refreshedBy } from './refreshes.ts'

type AnswerOptions<N extends Called, Data> = Omit<
  UseQueryOptions<AnswerOf<N>, Error, Data>,
  'queryKey' | 'queryFn'
>

/** The answer of an endpoint, from the cache or fetched: `useAnswer('getKey', { key_id })`. */
export function useAnswer<N extends Called, Data = AnswerOf<N>>(
  name: N,
  input: CallInput<N>,
  options: AnswerOptions<N, Data> = {},
) {
  return useQuery({
    ...options,
    queryKey: answerKey(name, input),
    queryFn: () => call(name, input),
  })
}

/** The answers of an endpoint to several inputs, as far as they are there. */
export function useAnswers<N extends Called>(name: N, inputs: readonly CallInput<N>[]): AnswerOf<N>[] {
  return useQueries({
    queries: inputs.map((input) => ({ queryKey: answerKey(name, input), queryFn: () => call(name, input) })),
    combine: answersIn,
  })
}

function answersIn<Data>(results: readonly { data: Data | undefined }[]): Data[] {
  return results.flatMap(({ data }) => (data === undefined ? [] : [data]))
}

/** Where the cache contains an answer. */
function answerKey<N extends Called>(name: N, input: CallInput<N>): QueryKey {
  return [name, input]
}

/** Fetch answers of endpoints again: those on the page now, the others when a page shows them. */
export async function refreshAnswers(client: QueryClient, names: readonly Called[]): Promise<void> {
  await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })))
}

type ChangeOptions<Variables> = {
  /** The answers that the change can show in, where its path does not say that: fetched again after it, and after a
   * refusal, because the page was outdated. */
  refreshes?: readonly Called[]
  /** An answer that shows the change at once. */
  shows?: OptimisticShow<Variables>
}

type OptimisticShow<Variables> = (client: QueryClient) => ReturnType<typeof optimistic<unknown, Variables>>

/** An answer as it is after the change, before the server has made it. */
export function shown<N extends Called, Variables>(
  name: N,
  input: CallInput<N>,
  update: (cached: AnswerOf<N>, variables: Variables) => AnswerOf<N>,
): OptimisticShow<Variables> {
  return (client) => optimistic<AnswerOf<N>, Variables>(client, answerKey(name, input), update)
}

type ListName = {
  [N in Called]: AnswerOf<N> extends readonly { id: string }[] ? N : never
}[Called]

/** A list without an entry that the change removes. */
export function without<N extends ListName>(name: N, input: CallInput<N>, gone: string) {
  return (client: QueryClient) =>
    optimistic(client, answerKey(name, input), (list: readonly { id: string }[]) =>
      list.filter(({ id }) => id !== gone),
    )
}

type FixedInput<N extends Called> = Partial<CallInput<N>>
type Without<Input, Names extends PropertyKey> = Input extends unknown ? Omit<Input, Names> : never
/** What `mutate` takes: the part of the input that is not given before. */
type Rest<N extends Called, G> = [keyof Without<CallInput<N>, keyof G>] extends [never]
  ? undefined
  : Without<CallInput<N>, keyof G>

/** A call that changes something: `useChange('deleteKey', { key_id })`; `mutate` takes the
 * rest of the input. */
export function useChange<N extends Called, G extends FixedInput<N>>(
  name: N,
  given: G,
  options: ChangeOptions<Rest<N, G>> = {},
) {
  // A change that is shown at once fetches only what it shows.
  const { shows, refreshes = shows === undefined ? refreshedBy(name) : [] } = options
  return useSteps(
    (rest: Rest<N, G>): Promise<AnswerOf<N>> =>
      // Both parts together are the input, which the compiler cannot follow.
      call(name, { ...given, ...rest } as CallInput<N>),
    shows === undefined ? { refreshes } : { refreshes, shows },
  )
}

/** A change of several calls, or of one that more than its input decides. */
export function useSteps<Variables, Data>(
  run: (variables: Variables) => Promise<Data>,
  { refreshes = [], shows }: ChangeOptions<Variables> = {},
) {
  const client = useQueryClient()
  const life = shows?.(client)
  const refresh = () => refreshAnswers(client, refreshes)
  return useMutation({
    ...life,
    mutationFn: run,
    // Values, passwords and new tokens must not stay in memory with the mutation.
    gcTime: 0,
    onSuccess: refresh,
    onError: (error, variables, context) => {
      life?.onError(error, variables, context)
      return isPassing(error) ? undefined : refresh()
    },
  })
}

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
