import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiEndpointName } from '@keyferry/contract'
import type { AroundRequests } from '../src/requesting.ts'
import type { Database } from '../src/storage/base/queries.ts'
import type { Answered, CallParts, Identity, TestApi } from './api.ts'
import { unwrapped } from './faulty-requests.ts'

/*
 * Records what an API answers, and what a workspace's audit log and tables contain afterwards, as text that is the same
 * in each run: ids, secrets and signatures get names, and times count from the start of the transcript.
 */

/** A clock that moves only when a transcript moves it. */
export class ManualClock {
  ms = Date.parse('2026-01-01T00:00:00.000Z')
  readonly now = () => new Date(this.ms)
}

/** Runs one step right before the next change of a request, so that the step is faster. */
export class Overtaking {
  faster: (() => Promise<void>) | null = null

  readonly around: AroundRequests = ({ requests, together }) => ({
    requests: {
      ...unwrapped(requests),
      change: async (id, nowMs, step) => {
        await this.#overtake()
        return requests.change(id, nowMs, step)
      },
    },
    together: async (work, options) => {
      await this.#overtake()
      return together(work, options)
    },
  })

  async #overtake(): Promise<void> {
    const { faster } = this
    this.faster = null
    await faster?.()
  }
}

type Shown = Record<string, unknown>

const TABLES = ['deliveries', 'deposits', 'grants', 'holdings'] as const

/** The calls of one story, and their answers. */
export class Transcript {
  readonly #lines: string[] = []
  readonly #names = new Map<string, string>()
  readonly #api: TestApi
  readonly #clock: ManualClock
  readonly #startMs: number
  stepMs = 1_000

  constructor(api: TestApi, clock: ManualClock) {
    this.#api = api
    this.#clock = clock
    this.#startMs = clock.ms
  }

  /** Calls this id by a name from now on. */
  name(id: string, name: string): void {
    this.#names.set(id, name)
  }

  readonly call: TestApi['call'] = async <N extends ApiEndpointName>(name: N, parts: CallParts = {}) => {
    this.#clock.ms += name === 'waitForApproval' ? 3 * this.stepMs : this.stepMs
    const answer = await this.#api.call(name, parts)
    const who = parts.as === undefined ? '' : ` by ${this.#names.get(parts.as.userId)}`
    this.#lines.push(`${name}${who}: ${answer.status} ${this.#shown(answer)}`)
    return answer
  }

  /** The story so far, with the events and rows of the workspace as they are now. */
  async text(database: Database, owner: Identity): Promise<string> {
    const { json } = await this.#api.call('listAudit', { as: owner })
    const events = json.filter(({ at }) => Date.parse(at) > this.#startMs)
    const inOrder = events.toSorted((a, b) => (`${a.at} ${a.action}` < `${b.at} ${b.action}` ? -1 : 1))
    const shownEvents = inOrder.map(
      (event) => `event ${this.#stable({ ...event, id: undefined, seq: undefined, sealed: undefined })}`,
    )
    const lines = [...this.#lines, ...shownEvents]
    // In this order, because what is shown first is named first.
    for (const table of TABLES) lines.push(...(await this.#rows(database, table, owner.tenantId)))
    return lines.join('\n')
  }

  async #rows({ query }: Database, table: (typeof TABLES)[number], tenantId: string): Promise<string[]> {
    const rows = await query.selectFrom(table).selectAll().where('tenant_id', '=', tenantId).execute()
    const inOrder = rows.map(withoutNulls).toSorted((a, b) => (timeAndState(a) < timeAndState(b) ? -1 : 1))
    return inOrder.map((row) => `row of ${table} ${this.#stable(row)}`)
  }

  #shown({ text }: Answered): string {
    return this.#stable(JSON.parse(text))
  }

  #stable(value: unknown): string {
    return JSON.stringify(value, (name, inner) => this.#member(name, inner)).replaceAll(/"(\w+)":/g, '$1:')
  }

  #member(name: string, value: unknown): unknown {
    if (typeof value !== 'string') return value
    if (name === 'payload') return JSON.parse(Buffer.from(value, 'base64').toString())
    if (name === 'versions' || name === 'label' || name === 'applied') return JSON.parse(value)
    return this.#named(value)
  }

  #named(text: string): string {
    return text
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => this.#timeOf(time))
      .replaceAll(/[\w+/-]{43,}={0,2}|[0-9a-f]{12,}|[\da-f]{8}-[\da-f-]{10,}/g, (id) => this.#idOf(id))
      .replaceAll(/\b[A-Z\d]{4}-[A-Z\d]{4}\b|^\d{3} \d{3}$/g, 'CODE')
      .replaceAll(/\d+\.\d+\.\d+\.\d+/g, 'ADDRESS')
  }

  #timeOf(time: string): string {
    const ms = Date.parse(time) - this.#startMs
    return ms <= 0 ? 'BEFORE' : `${ms / 1_000} s`
  }

  #idOf(id: string): string {
    const known = this.#names.get(id) ?? (id.length > 64 ? 'BOX' : `id${this.#names.size}`)
    this.#names.set(id, known)
    return known
  }
}

const UNSHOWN = new Set(['tenant_id', 'poll_challenge'])

const timeAndState = (row: Shown) => JSON.stringify([row['created_at'] ?? row['first_at'], row['state']])

function withoutNulls(row: Shown): Shown {
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => !UNSHOWN.has(name) && value !== null),
  )
}

/** Texts by their titles, as one file. A long line that several texts have is written once, at the top. */
export function written(texts: ReadonlyMap<string, string>): string {
  const counts = new Map<string, number>()
  for (const answer of [...texts.values()].flatMap(longAnswers))
    counts.set(answer, (counts.get(answer) ?? 0) + 1)
  const shared = [...counts].filter(([, count]) => count > 1).map(([answer]) => answer)
  const short = new Map(shared.map((answer, index) => [answer, `<${index}>`]))
  const top = [...short].map(([answer, name]) => `${name} ${answer}`)
  const parts = [...texts].map(([title, text]) => {
    const lines = text
      .split('\n')
      .map((line) => line.replace(/\{.*/, (answer) => short.get(answer) ?? answer))
    return `## ${title}\n${lines.join('\n')}\n`
  })
  return `${top.join('\n')}\n\n${parts.join('\n')}`
}

const longAnswers = (text: string) => (text.match(/\{.*/g) ?? []).filter(({ length }) => length > 100)

/** Reads what `written` wrote. */
export function readTexts(file: string): Map<string, string> {
  const [top = '', ...parts] = file.split(/^## /m)
  const shared = new Map(top.split('\n').map((line) => [line.replace(/ .*/, ''), line.replace(/^\S+ /, '')]))
  return new Map(
    parts.map((part) => {
      const [title = '', ...lines] = part.trimEnd().split('\n')
      return [
        title,
        lines.map((line) => line.replace(/<\d+>$/, (name) => shared.get(name) ?? name)).join('\n'),
      ]
    }),
  )
}

/** The text once it is as expected, or has not changed for a while. That is long where one is expected: a busy machine
 * is slow, and not wrong. */
export async function settledText(
  read: () => Promise<string>,
  expected: string | undefined,
): Promise<string> {
  const looks = expected === undefined ? 8 : 2_400
  let [text, sameFor] = [await read(), 0]
  while (text !== expected && sameFor < looks) {
    await sleep(25)
    const next = await read()
    sameFor = next === text ? sameFor + 1 : 0
    text = next
  }
  return text
}
