import type { AnswerOf, CallInput } from '@keyferry/contract/client'
import {
  type QueryClient,
  type QueryKey,
  type UseQueryOptions,
  useQueries,
  useQuery,
} from '@tanstack/react-query'
import { type Called, call } from './call.ts'

type Options<N extends Called, Data> = Omit<UseQueryOptions<AnswerOf<N>, Error, Data>, 'queryKey' | 'queryFn'>

/** The answer of an endpoint, from the cache or fetched: `useAnswer('getKey', { key_id })`. */
export function useAnswer<N extends Called, Data = AnswerOf<N>>(
  name: N,
  input: CallInput<N>,
  options: Options<N, Data> = {},
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

/** Where the cache holds an answer. */
export function answerKey<N extends Called>(name: N, input: CallInput<N>): QueryKey {
  return [name, input]
}

/** Fetch answers of endpoints again: those on the page now, the others when a page shows them. */
export async function refreshAnswers(client: QueryClient, names: readonly Called[]): Promise<void> {
  await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })))
}
