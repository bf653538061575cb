import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { GroupCommit } from './group-commit.ts'

let folder: string
let file: DatabaseSync
let reader: DatabaseSync
let commits: GroupCommit
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-groups-'))
  file = new DatabaseSync(join(folder, 'file.db'))
  file.exec('pragma journal_mode = wal; pragma synchronous = full')
  file.exec('create table rows (name text primary key, content text) strict')
  reader = new DatabaseSync(join(folder, 'file.db'), { readOnly: true })
  commits = new GroupCommit(file)
})
afterEach(() => {
  reader.close()
  file.close()
  rmSync(folder, { recursive: true })
})

const committed = () =>
  reader
    .prepare('select name from rows order by name')
    .all()
    .map(({ name }) => name)

/** No time passes, so that a busy machine does not end a group earlier. */
function standStill(): void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => clock.mockRestore())
}

/** One change, as a store makes it. */
async function add(name: string, content = '', isPoisoned = false): Promise<void> {
  await commits.begin()
  let durable: Promise<void>
  try {
    file.prepare('insert into rows values (?, ?)').run(name, content)
    if (isPoisoned) throw new Error('poisoned')
    durable = commits.keep()
  } catch (error) {
    commits.undo()
    throw error
  }
  await durable
}

const outcomes = async (changes: readonly Promise<void>[]) =>
  (await Promise.allSettled(changes)).map(({ status }) => status)

test('the changes of one turn become durable together, and none is answered before', async () => {
  standStill()
  let answered = 0
  const changes = ['a', 'b', 'c'].map((name) => add(name).then(() => answered++))
  for (let step = 0; step < 100; step++) await Promise.resolve()
  expect(file.prepare('select name from rows').all()).toHaveLength(3)
  expect([committed(), answered]).toEqual([[], 0])
  await Promise.all(changes)
  expect(committed()).toEqual(['a', 'b', 'c'])
})

test.each([
  ['first', 0],
  ['second', 1],
  ['last', 2],
])('a change that fails takes nothing of its neighbours along: %s', async (_, poisoned) => {
  const changes = ['a', 'b', 'c'].map((name, index) => add(name, '', index === poisoned))
  expect(await outcomes(changes)).toEqual([0, 1, 2].map((i) => (i === poisoned ? 'rejected' : 'fulfilled')))
  expect(committed()).toEqual(['a', 'b', 'c'].filter((_name, index) => index !== poisoned))
})

test('a row that exists fails its own change alone', async () => {
  expect(await outcomes([add('a'), add('a'), add('b')])).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(committed()).toEqual(['a', 'b'])
})

test('a full disk fails the whole group, and the next group is made', async () => {
  await add('before')
  const pages = Number(file.prepare('pragma page_count').get()?.['page_count'])
  file.exec(`pragma max_page_count = ${pages + 2}`)
  const changes = [add('a'), add('b', 'x'.repeat(100_000)), add('c')]
  const [a, b, c] = await outcomes(changes)
  expect(b).toBe('rejected')
  const kept = [a === 'fulfilled' ? 'a' : null, 'before', c === 'fulfilled' ? 'c' : null]
  expect(committed()).toEqual(kept.filter((name) => name !== null))
  await add('after')
  expect(committed()).toContain('after')
})

test('a commit that fails fails every change of the group', async () => {
  file.exec('pragma foreign_keys = on')
  file.exec('create table parts (row text references rows (name) deferrable initially deferred) strict')
  const first = add('a')
  await commits.begin()
  file.exec("insert into parts values ('nowhere')")
  expect(await outcomes([first, commits.keep()])).toEqual(['rejected', 'rejected'])
  expect(committed()).toEqual([])
  await add('b')
  expect(committed()).toEqual(['b'])
})

test('a change that lasts beyond its turn is not cut in two', async () => {
  const first = add('a')
  await commits.begin()
  file.exec("insert into rows values ('long', '')")
  await nextTurn()
  await nextTurn()
  expect(committed()).toEqual([])
  file.exec("insert into rows values ('longer', '')")
  await Promise.all([first, commits.keep()])
  expect(committed()).toEqual(['a', 'long', 'longer'])
})

test('a group takes 64 changes at the most', async () => {
  standStill()
  let isTurnOver = false
  setImmediate(() => (isTurnOver = true))
  const changes = Array.from({ length: 65 }, (_, index) => add(String(index)))
  await changes[0]
  expect([isTurnOver, committed().length]).toEqual([false, 64])
  await Promise.all(changes)
  expect(committed()).toHaveLength(65)
})

test('a group ends after 8 ms', async () => {
  let nowMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => clock.mockRestore())
  const first = add('a')
  await commits.begin()
  file.exec("insert into rows values ('b', '')")
  nowMs = 9
  const second = commits.keep()
  expect(committed()).toEqual(['a', 'b'])
  await Promise.all([first, second])
})

test('an end before the turn is over keeps what was made', async () => {
  await commits.begin()
  file.exec("insert into rows values ('a', '')")
  const durable = commits.keep()
  commits.close()
  expect(committed()).toEqual(['a'])
  await durable
})

test('an end while a change is being made keeps nothing of it', async () => {
  const kept = add('kept')
  await commits.begin()
  file.exec("insert into rows values ('half', '')")
  commits.close()
  await kept
  expect(committed()).toEqual(['kept'])
  expect(() => commits.keep()).toThrow('no change is being made')
})

test('while another process writes, a change waits and blocks nothing', async () => {
  const other = new DatabaseSync(join(folder, 'file.db'))
  other.exec('begin immediate')
  const change = add('a')
  await nextTurn()
  expect(committed()).toEqual([])
  other.exec('commit')
  other.close()
  await change
  expect(committed()).toEqual(['a'])
})

test('a statement of its own runs between two groups', async () => {
  const changes = [
    add('a'),
    commits.alone(() => file.exec("insert into rows values ('alone', '')")),
    add('b'),
  ]
  await Promise.all(changes)
  expect(committed()).toEqual(['a', 'alone', 'b'])
})
