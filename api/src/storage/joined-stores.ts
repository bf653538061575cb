import { NOTHING, requireNoGain } from '../domain/approvals/effects.ts'
import type { JoinedStores, Together } from '../domain/approvals/together.ts'
import type { Bounds } from '../domain/base/bounds.ts'
import { madeBy } from '../domain/base/event.ts'
import { planChanged } from '../domain/transfer/library-import.ts'
import { isLockConflict } from './base/database.ts'
import type { Queries, Recorded } from './base/queries.ts'
import { policyReads } from './bundles/policies.ts'
import { policyRecords } from './bundles/policy-changes.ts'
import { begin, despiteDeletedKeys } from './deliveries/delivery-begin.ts'
import { collect, endVoid, release } from './deliveries/delivery-end.ts'
import { applyDeposit, beginDeposit, voidDeposit } from './deliveries/deposits.ts'
import { insertGrant, useGrant } from './deliveries/grants.ts'
import { isOvertaken } from './keys/library-changes.ts'
import { comparing } from './keys/standing.ts'
import type { ValueVault } from './keys-at-rest/value-vault.ts'
import { useApprovalKey } from './people/approval-keys.ts'
import { changeGroup, provideGroups } from './people/groups.ts'
import { acceptIn } from './people/invitations.ts'
import { changeMember, lockPeople, memberLocker } from './people/members.ts'
import { lockTenant } from './people/tenants.ts'
import { noteTouch } from './people/touch-uses.ts'
import { changeProvided } from './people/user-events.ts'
import type { Requests } from './requests/requests.ts'
import { touchRules } from './rules/set-rules.ts'
import { importInto } from './transfer/library-imports.ts'
import { keepProposal } from './transfer/proposals.ts'

/** What encrypts the values of a library. */
export type LibraryParts = { keys: ValueVault; proposals: ValueVault; bounds: Bounds }

type JoinedParts = { requests: Pick<Requests, 'joined'>; library: LibraryParts }

/** How often a removal is repeated that others keep from what it needs. Each try waits for 2 s at most. */
const REMOVAL_REPEATS = 15

/** One transaction over requests and what depends on them. */
export function togetherWith(queries: Queries, { requests, library }: JoinedParts): Together {
  const within = joinedWith(queries)
  return (work, { storesIn, isRemoval = false } = {}) => {
    const once = async () => {
      const libraryIn = storesIn === undefined ? null : await libraryOf(library, storesIn)
      const run = () =>
        requests.joined(async (joined, transaction) => {
          await queries.limitLocks(transaction)
          const stored = await libraryIn?.(transaction)
          return await work({ ...within(joined, transaction), ...stored })
        })
      if (storesIn === undefined) return await despiteDeletedKeys(run)
      return await run().catch((error: unknown) => {
        throw isOvertaken(error) ? planChanged() : error
      })
    }
    return repeated(once, isRemoval ? REMOVAL_REPEATS : 1)
  }
}

/** An operator's removal, in one transaction that is repeated as a server's own. */
export function removal<T>(
  queries: Queries,
  requests: JoinedParts['requests'],
  work: Parameters<typeof requests.joined<T>>[0],
): Promise<T> {
  const once = () =>
    requests.joined(async (joined, transaction) => {
      await queries.limitLocks(transaction)
      return await work(joined, transaction)
    })
  return repeated(once, REMOVAL_REPEATS)
}

// Another transaction locked what this one needs, or both waited for each other.
async function repeated<T>(once: () => Promise<T>, repeats: number): Promise<T> {
  for (let left = repeats; left > 0; left--) {
    try {
      return await once()
    } catch (error) {
      if (!isLockConflict(error)) throw error
    }
  }
  return await once()
}

type OfLibrary = Pick<JoinedStores, 'imports' | 'proposals'>

async function libraryOf({ keys, proposals, bounds }: LibraryParts, tenantId: string) {
  const [keyVault, proposalVault] = await Promise.all([keys.toWrite(tenantId), proposals.toWrite(tenantId)])
  return async (transaction: Recorded): Promise<OfLibrary> => {
    await lockTenant(transaction, tenantId)
    return {
      imports: {
        async carryOut(_, imports) {
          const isSigned = (await touchRules(transaction, tenantId)).length > 0
          const compare = isSigned ? await comparing(transaction, tenantId, null) : null
          const parts = { ...bounds, bounds, transaction, vault: await keyVault(transaction) }
          const done = await importInto(parts, tenantId, imports)
          const [first] = done
          if (first) await compare?.(first.stamp, NOTHING, requireNoGain)
          return done
        },
      },
      proposals: {
        keep: async (proposal, stamp) =>
          keepProposal(transaction, await proposalVault(transaction), { ...proposal, stamp }),
      },
    }
  }
}

const unlocked = () => Promise.reject(new Error('a transaction that has not locked the library'))

/** The stores in one transaction. */
export function joinedWith(queries: Queries) {
  const [policies, lockMember] = [policyReads(queries), memberLocker(queries)]
  return (requests: JoinedStores['requests'], transaction: Recorded): JoinedStores => ({
    requests,
    policies: {
      ...policies(transaction),
      ...policyRecords(transaction),
    },
    lockWorkspace: (tenantId) => lockTenant(transaction, tenantId),
    lockMember: (person, isAlone) => lockMember(transaction, person, isAlone),
    lockPeople: (tenantId) => lockPeople(queries, transaction, tenantId),
    deliveries: {
      begin: (tenantId, delivery) => begin(transaction, { tenantId, delivery }),
      release: (tenantId, returned) => release(transaction, { ...returned, tenantId }),
      collect: (tenantId, ending) => collect(transaction, { ...ending, tenantId }),
      void: (tenantId, ending) => endVoid(transaction, { ...ending, tenantId }),
    },
    deposits: {
      begin: (tenantId, deposit) => beginDeposit(transaction, tenantId, deposit),
      apply: (tenantId, stored) => applyDeposit(transaction, tenantId, stored),
      void: (tenantId, ending) => voidDeposit(transaction, tenantId, ending),
    },
    grants: {
      insert: (tenantId, grant) => insertGrant(transaction, tenantId, grant),
      use: (tenantId, grantId, delivery) => useGrant(transaction, { tenantId, grantId, delivery }),
    },
    events: { record: async (event) => transaction.record(event) },
    approvalKeys: { use: (key, counter, now) => useApprovalKey(transaction, { key, counter, now }) },
    touchUses: { firstUse: (nonceHash, now) => noteTouch(transaction, nonceHash, now) },
    members: { change: (change, stamp) => changeMember(transaction, change, madeBy(stamp)) },
    groups: {
      change: (change, stamp) => changeGroup(transaction, change, stamp),
      provide: (idpUserId, groups, moment) => provideGroups(transaction, idpUserId, groups, moment),
    },
    imports: { carryOut: unlocked },
    proposals: { keep: unlocked },
    users: { change: (idpUserId, change) => changeProvided(transaction, idpUserId, change) },
    acceptInvitation: (acceptance) => acceptIn(transaction, acceptance),
  })
}
