import type { JoinedStores } from '../src/domain/approvals/together.ts'
import type { Queries } from '../src/storage/base/queries.ts'
import { despiteDeletedKeys } from '../src/storage/deliveries/delivery-begin.ts'
import { joinedWith } from '../src/storage/joined-stores.ts'
import { Requests } from '../src/storage/requests/requests.ts'

export type InTransaction = <T>(work: (own: JoinedStores) => Promise<T>) => Promise<T>

/** Runs work with the stores that only a transaction has. */
export function inTransaction(queries: Queries): InTransaction {
  const requests = new Requests(queries, { notices: { watch: () => () => {}, notify: () => {} } })
  const within = joinedWith(queries)
  return (work) =>
    despiteDeletedKeys(() => requests.joined((joined, transaction) => work(within(joined, transaction))))
}
