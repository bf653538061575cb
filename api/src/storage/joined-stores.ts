import type { Together } from '../domain/approvals/together.ts'
import type { JoinedDeposit } from '../domain/kinds/deposit-approval.ts'
import type { Queries } from './base/queries.ts'
import { policyReads } from './bundles/policies.ts'
import { begin, despiteDeletedKeys } from './deliveries/delivery-begin.ts'
import { collect } from './deliveries/delivery-end.ts'
import { beginDeposit } from './deliveries/deposits.ts'
import { useGrant } from './deliveries/grants.ts'
import { memberHolder } from './people/members.ts'
import type { Requests } from './requests/requests.ts'

/** One transaction over requests and what depends on them. */
export function togetherWith(queries: Queries, requests: Pick<Requests, 'joined'>): Together<JoinedDeposit> {
  const [policies, holdMember] = [policyReads(queries), memberHolder(queries)]
  return (work) =>
    despiteDeletedKeys(() =>
      requests.joined((joined, transaction) =>
        work({
          requests: joined,
          policies: policies(transaction),
          holdMember: (person, isAlone) => holdMember(transaction, person, isAlone),
          deliveries: {
            begin: (tenantId, delivery) => begin(transaction, { tenantId, delivery }),
            collect: (tenantId, ending) => collect(transaction, { ...ending, tenantId }),
          },
          deposits: { begin: (tenantId, deposit) => beginDeposit(transaction, tenantId, deposit) },
          grants: {
            use: (tenantId, grantId, delivery) => useGrant(transaction, { tenantId, grantId, delivery }),
          },
          events: { record: async (event) => transaction.record(event) },
        }),
      ),
    )
}
