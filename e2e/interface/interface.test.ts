import { afterAll, beforeAll, describe } from 'vitest'
import { authentication } from './authentication.ts'
import { bundles } from './bundles.ts'
import { development } from './development.ts'
import { keys } from './keys.ts'
import { legacyItems } from './legacy-items.ts'
import { limits, openWait } from './limits.ts'
import { requests } from './requests.ts'
import { KINDS, type Kind, type Service, startService } from './servers.ts'
import { users } from './users.ts'

/*
 * The published interface, row by row, as a client sees it that was written from the interface and knows nothing else:
 * no header, field or code of this project. This suite may change only if the interface changes. If a change of the
 * project breaks it, that change breaks such clients.
 */

type Started = { service: Service; waiting: ReturnType<typeof openWait> }

const started = new Map<Kind, Started>()

// The calls that the services keep open for up to 30 seconds begin together, and are looked at last.
beforeAll(async () => {
  await Promise.all(
    KINDS.map(async (kind) => {
      const service = await startService(kind)
      started.set(kind, { service, waiting: openWait(service.url) })
    }),
  )
})
afterAll(() => Promise.all([...started.values()].map(({ service }) => service.stop())))

function startedOf(kind: Kind): Started {
  const found = started.get(kind)
  if (!found) throw new Error('the service is not started')
  return found
}

describe.each(KINDS)('the interface of %s', (kind) => {
  const running = () => startedOf(kind).service
  describe('requests', () => requests(running))
  describe('users', () => users(running))
  describe('bundles', () => bundles(running))
  describe('keys', () => keys(running))
  describe('legacy items', () => legacyItems(running))
  describe('development', () => development(running))
  if (kind !== 'the local all-in-one server') describe('authentication', () => authentication(running))
})

describe.each(KINDS)('the limits of %s', (kind) => {
  limits(() => startedOf(kind), kind)
})
