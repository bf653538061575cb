import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { until } from '../../plumbing/test/until.ts'
import { verifyAudit } from '../src/main.ts'
import { databases, type Identity, startTestApi, type TestApi, testSettings } from './api.ts'

const NODES = 4
const CALLERS = 16
const CALLS = 8

describe.runIf(databases.includes('postgres'))('four nodes that append to one log', () => {
  let nodes: TestApi[]
  let owner: Identity
  beforeAll(async () => {
    const shared = { databaseUrl: await freshPostgres(), rootKeys: testSettings().rootKeys }
    nodes = await Promise.all(Array.from({ length: NODES }, () => startTestApi('sqlite', shared)))
    owner = await first().newOwner()
  })
  afterAll(() => Promise.all(nodes.map((node) => node.close())))

  const first = () => {
    const [node] = nodes
    if (!node) throw new Error('no node')
    return node
  }
  const wholeLog = () =>
    until('the last entry', async () => {
      const { json } = await first().call('listAudit', { as: owner, query: { limit: '1000' } })
      return json.every(({ sealed }) => sealed) && json
    })

  test('make one chain in which each acknowledged change has one entry', async () => {
    const caller = async (number: number) => {
      const node = nodes[number % NODES] ?? first()
      const ids: string[] = []
      for (let count = 0; count < CALLS; count++) {
        const body = { name: `K_${number}_${count}`, value: 'x' }
        const { status, json } = await node.call('createKey', { as: owner, body })
        if (status === 201) ids.push(json.id)
      }
      return ids
    }
    const made = await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)))
    const log = await wholeLog()
    const created = log.filter(({ action }) => action === 'key.created').map(({ target }) => target.id)
    expect(made.flat()).toHaveLength(CALLERS * CALLS)
    expect(created.toSorted()).toEqual(made.flat().toSorted())
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => log.length - index))
    const verdicts = await verifyAudit(first().settings)
    expect(verdicts.map(({ problem }) => problem)).toEqual(verdicts.map(() => null))
  })
})
