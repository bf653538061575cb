import { CHAIN_START, chainHash, originHash } from './audit-chain.ts'
import { type ChainNote, namedBy } from './chain-note.ts'
import {
  beforeEnd,
  type ExportTail,
  endingOf,
  exportEnd,
  isPart,
  type Restore,
  restoreOf,
} from './export-lines.ts'
import { endOfValue, isCount, membersOf, parsed } from './json-text.ts'

/*
 * Checks an export of the audit log line by line: see docs/audit.md for its format. It needs no key and no database. A
 * chain that fits proves only that it was not changed after it was written; a note of it proves who signed it and when.
 */

const HASH_START = '{"hash":"'
const HASH_END = 73
const BODY_START = 83

/** A line of an export that is not as the server wrote it. `line` counts from 1. */
export class BrokenExport extends Error {
  override readonly name = 'BrokenExport'

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`)
  }
}

/** `fits`: the entries up to the note's are those that were signed · `differs`: they are not · `lost`: a restore at
 * `at` lost what was signed · `outside`: the export does not contain the note's entry. */
export type Judgement =
  | { readonly kind: 'fits' | 'differs' | 'outside' }
  | { readonly kind: 'lost'; readonly at: string }

/** The state of a check. Exports that continue each other may follow one another. */
export class ExportedChain {
  #line = 0
  #first: number | null = null
  /** The first entry of the part that is read. */
  #from = 1
  #firstPrev = CHAIN_START
  #seq = 0
  #hash = CHAIN_START
  #ending: ExportTail | null = null
  readonly #hashes: string[] = []
  readonly #restores: Restore[] = []
  /** Entries whose origin was erased. */
  erased = 0
  /** The signed notes of the export, unchecked. */
  readonly notes: string[] = []
  /** The signed notes of the ends of its parts. They say what the export contains; their signatures are unchecked. */
  readonly ends: string[] = []

  /** Check the next line, given without its line feed.
   * @throws BrokenExport */
  add(line: string): void {
    this.#line += 1
    if (line.startsWith(HASH_START)) this.#addEntry(line)
    else if (line.startsWith('{"first_seq":')) this.#begin(line)
    else this.#end(line)
  }

  /** Call it after the last line.
   * @throws BrokenExport: the export is incomplete */
  finish(): void {
    if (this.#ending === null) {
      this.#line += 1
      throw this.#broken('the note at the end is missing; the export is incomplete')
    }
    if (this.beyond !== null && !isPart(this.#ending, this.last))
      throw this.#broken(`the note signs entry ${this.beyond}, but the export ends at entry ${this.last}`)
  }

  /** The number of the first entry, or of the entry that would be the first. */
  get first(): number {
    return this.#first ?? 1
  }

  /** The number of the last entry; `first - 1` where there is none. */
  get last(): number {
    return this.#seq
  }

  /** The newest entry that a note of the export names, where the export ends before it. */
  get beyond(): number | null {
    const named = this.notes.flatMap((note) => namedBy(note) ?? [])
    const missing = named.filter((note) => note.seq > this.last && this.#lossOf(note) === undefined)
    return missing.length === 0 ? null : Math.max(...missing.map(({ seq }) => seq))
  }

  /** Where the next part of the log begins; null at its end. */
  get next(): number | null {
    return this.#ending?.next ?? null
  }

  /** The hash of an entry of this export, or of the entry before its first; null for any other. */
  hashOf(seq: number): string | null {
    if (seq === this.first - 1) return this.#firstPrev
    return this.#hashes[seq - this.first] ?? null
  }

  /** What a note of this log says about the export. */
  judge(note: ChainNote): Judgement {
    const loss = this.#lossOf(note)
    if (loss !== undefined) return { kind: 'lost', at: loss.at }
    const own = this.hashOf(note.seq)
    if (own === null) return { kind: 'outside' }
    return { kind: own === note.hash ? 'fits' : 'differs' }
  }

  #lossOf({ seq, epoch }: Pick<ChainNote, 'seq' | 'epoch'>): Restore | undefined {
    return this.#restores.find((restore) => epoch <= restore.epochBefore && seq > restore.seq)
  }

  #begin(line: string): void {
    const { first_seq: first, first_prev: prev } = this.#members(line)
    if (!isCount(first) || first < 1 || typeof prev !== 'string' || !/^[0-9a-f]{64}$/.test(prev)) {
      throw this.#broken('first_seq or first_prev is malformed')
    }
    if (this.#first === null) {
      this.#seq = first - 1
      this.#hash = prev
      this.#firstPrev = prev
      this.#first = first
    } else if (this.#ending === null || first !== this.#seq + 1 || prev !== this.#hash) {
      throw this.#broken(`the part that begins here does not continue entry ${this.#seq}`)
    }
    this.#from = first
    this.#ending = null
  }

  #addEntry(line: string): void {
    this.#first ??= 1
    const seq = this.#seq + 1
    if (this.#ending !== null) throw this.#broken('an entry follows the end of the export')
    const end = endOfValue(line, BODY_START)
    const body = line.slice(BODY_START, end)
    const hash = chainHash(this.#hash, body)
    if (!body.startsWith(`{"seq":${seq},`))
      throw this.#broken(`entry ${seq} is missing, or carries another number`)
    if (line.slice(HASH_START.length, HASH_END) !== hash) {
      throw this.#broken(`entry ${seq} does not fit its hash or the entry before it`)
    }
    this.#checkOrigin(line.slice(end), body, seq)
    this.#noteRestore(body)
    this.#seq = seq
    this.#hash = hash
    this.#hashes.push(hash)
  }

  #checkOrigin(rest: string, body: string, seq: number): void {
    if (rest === '}') {
      if (!body.endsWith('"personal":null}')) this.erased += 1
      return
    }
    const [, origin] = /^,"origin":(\{.*\})\}$/.exec(rest) ?? []
    if (origin === undefined) throw this.#broken(`entry ${seq} is malformed`)
    if (!body.endsWith(`"personal":"${originHash(origin)}"}`)) {
      throw this.#broken(`the origin of entry ${seq} was changed`)
    }
  }

  #noteRestore(body: string): void {
    if (!body.includes('"action":"audit.restored"')) return
    const restore = restoreOf(this.#members(body))
    if (restore !== null) this.#restores.push(restore)
  }

  #end(line: string): void {
    const ending = endingOf(this.#members(line))
    if (ending === null) throw this.#broken('neither an entry nor a signed end')
    if (this.#ending !== null) throw this.#broken('a line follows the end of the export')
    if (ending.note !== null) this.notes.push(ending.note)
    const said = { first: this.#from, last: this.#seq, hash: this.#hash, line: beforeEnd(line) }
    if (ending.end.slice(0, ending.end.lastIndexOf('\n\n') + 1) !== exportEnd(said))
      throw this.#broken(
        `it is not the end of entries ${this.#from} to ${this.#seq}: something was removed or changed`,
      )
    this.ends.push(ending.end)
    this.#ending = ending
  }

  #members(json: string): Readonly<Record<string, unknown>> {
    const members = membersOf(parsed(json))
    if (members === null) throw this.#broken('not a line of an export')
    return members
  }

  #broken(problem: string): BrokenExport {
    return new BrokenExport(this.#line, problem)
  }
}

/** Check a whole export. Only a line feed ends a line: a text in an event may contain other line separators.
 * @param chunks the file's text, in order
 * @throws BrokenExport */
export async function checkExport(chunks: AsyncIterable<string> | Iterable<string>): Promise<ExportedChain> {
  const chain = new ExportedChain()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) chain.add(line)
  }
  if (rest !== '') chain.add(rest)
  chain.finish()
  return chain
}
