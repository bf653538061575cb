import type { RequestContext } from '../../lib/calls/answers.ts'

/** What the page shows of a request. */
export type SeenCommand = Pick<RequestContext, 'argv' | 'cwd'>

type Facts = Readonly<Record<string, unknown>>

/** Whether a statement says what the page shows and sends: the request and its command, the bundle, the keys, the plan,
 * and the way back. */
export function isStatementOf(statement: Facts, sent: object, shown: SeenCommand | null): boolean {
  const input: Facts = { ...sent }
  const request = factsIn(statement['request'])
  const names = listIn(statement['keys']).map((key) => factsIn(key)['name'])
  const pairs = [
    [request['id'], input['request_id']],
    [request['argv'] ?? null, shown?.argv ?? null],
    [request['cwd'] ?? null, shown?.cwd ?? null],
    ...pairWhereSent(input, 'bundle_id', factsIn(statement['bundle'])['id']),
    ...pairWhereSent(input, 'plan_id', statement['plan_id']),
    ...pairWhereSent(input, 'release', statement['way']),
    [listIn(statement['typed']), namesIn(listIn(input['typed']))],
    ...('include_keys' in input ? [[sorted(names), sorted(listIn(input['include_keys']))]] : []),
  ]
  return pairs.every(([one, other]) => JSON.stringify(one) === JSON.stringify(other))
}

function pairWhereSent(input: Facts, field: string, signed: unknown): unknown[][] {
  return field in input ? [[signed, input[field]]] : []
}

function factsIn(value: unknown): Facts {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const namesIn = (entries: readonly unknown[]) => sorted(entries.map((entry) => factsIn(entry)['name']))

const sorted = (names: readonly unknown[]) =>
  names.map(String).toSorted((one, other) => (one < other ? -1 : 1))

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
