import { StringDecoder } from 'node:string_decoder'
import type { JSONRPCErrorResponse, JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { isObject } from '../base/shape.ts'

const LINE_BYTES = 1_024 * 1_024
/** The one revision with batches. */
const WITH_BATCHES = '2025-03-26'

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

type Id = string | number

type Batch = { readonly open: Set<Id>; readonly answers: JSONRPCMessage[] }

/** JSON-RPC over stdin and stdout, a message a line. A line that is no message, or that is too long, is answered with
 * an error, and the connection goes on.
 * Source: JSON-RPC 2.0; Model Context Protocol, revision 2025-03-26 (batches). */
export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #batches = new Set<Batch>()
  #revision: string | null = null
  #isClosed = false
  readonly #lines = new LineReader(LINE_BYTES, {
    line: (line) => this.#read(line),
    tooLong: () => this.#refuse(null, INVALID_REQUEST, `a message is at most ${LINE_BYTES} bytes`),
  })
  readonly #end = () => void this.close()

  async start(): Promise<void> {
    process.stdin.on('data', this.#lines.take).once('end', this.#end).once('close', this.#end)
    process.stdout.on('error', this.#end)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    process.stdin.off('data', this.#lines.take).pause()
    this.onclose?.()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#noteRevision(message)
    const id = 'id' in message && !('method' in message) ? message.id : undefined
    const batch = [...this.#batches].find(({ open }) => id !== undefined && open.has(id))
    if (batch === undefined || id === undefined) return this.#write(message)
    batch.open.delete(id)
    batch.answers.push(message)
    await this.#answerBatch(batch)
  }

  async #answerBatch(batch: Batch): Promise<void> {
    if (batch.open.size > 0) return
    this.#batches.delete(batch)
    if (batch.answers.length > 0) await this.#write(batch.answers)
  }

  #noteRevision(message: JSONRPCMessage): void {
    if (!('result' in message)) return
    const { protocolVersion } = message.result
    if (typeof protocolVersion === 'string') this.#revision = protocolVersion
  }

  #read(line: string): void {
    if (line.trim() === '') return
    try {
      const read: unknown = JSON.parse(line)
      if (!Array.isArray(read)) this.#take(read, (error) => void this.#write(error))
      else if (this.#revision !== WITH_BATCHES)
        this.#refuse(null, INVALID_REQUEST, `only revision ${WITH_BATCHES} has batches`)
      else if (read.length === 0) this.#refuse(null, INVALID_REQUEST, 'a batch has at least one message')
      else this.#takeBatch(read)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      this.#refuse(null, PARSE_ERROR, 'a line is no JSON')
    }
  }

  #takeBatch(messages: readonly unknown[]): void {
    const batch: Batch = { open: new Set(messages.flatMap(idOfRequest)), answers: [] }
    this.#batches.add(batch)
    for (const message of messages)
      this.#take(message, (error) => {
        if (isId(error.id)) batch.open.delete(error.id)
        batch.answers.push(error)
      })
    void this.#answerBatch(batch)
  }

  #take(message: unknown, refuse: (error: JSONRPCErrorResponse) => void): void {
    const problem = problemOf(message)
    if (problem === null) this.onmessage?.(message as JSONRPCMessage)
    else refuse(errorOf(idOfRequest(message)[0] ?? null, INVALID_REQUEST, problem))
  }

  #refuse(id: Id | null, code: number, message: string): void {
    void this.#write(errorOf(id, code, message))
  }

  async #write(message: JSONRPCMessage | readonly JSONRPCMessage[]): Promise<void> {
    if (this.#isClosed) return
    process.stdout.write(`${JSON.stringify(message)}\n`)
  }
}

function errorOf(id: Id | null, code: number, message: string): JSONRPCErrorResponse {
  // The type has no null, which JSON-RPC wants where the id could not be read.
  return { jsonrpc: '2.0', id: id as Id, error: { code, message } }
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

function idOfRequest(message: unknown): Id[] {
  return isObject(message) && 'method' in message && isId(message['id']) ? [message['id']] : []
}

/** Why a value is no message of JSON-RPC; null: it is one. */
function problemOf(message: unknown): string | null {
  if (!isObject(message)) return 'a message is an object'
  if (message['jsonrpc'] !== '2.0') return 'jsonrpc is "2.0"'
  if ('id' in message && !isId(message['id'])) return 'id is a text or a whole number'
  if (!('method' in message)) return isAnswer(message) ? null : 'a message has a method, a result or an error'
  if (typeof message['method'] !== 'string') return 'method is a text'
  return 'params' in message && !isObject(message['params']) ? 'params is an object' : null
}

function isAnswer({ id, result, error }: Readonly<Record<string, unknown>>): boolean {
  return isId(id) && (isObject(result) || isObject(error))
}

const LINE_END = '\n'

type Readers = { readonly line: (line: string) => void; readonly tooLong: () => void }

/** Cuts a stream of bytes into lines of bounded length. It reports a longer line once and skips the rest of it, so the
 * line takes no memory. */
class LineReader {
  readonly #most: number
  readonly #readers: Readers
  readonly #decoder = new StringDecoder('utf8')
  #begun: string | null = ''

  constructor(most: number, readers: Readers) {
    this.#most = most
    this.#readers = readers
  }

  readonly take = (bytes: Buffer): void => {
    const [rest = '', ...ends] = this.#decoder.write(bytes).split(LINE_END)
    this.#add(rest)
    for (const part of ends) {
      if (this.#begun !== null) this.#readers.line(this.#begun)
      this.#begun = ''
      this.#add(part)
    }
  }

  #add(part: string): void {
    if (this.#begun === null) return
    if (this.#begun.length + part.length <= this.#most) this.#begun += part
    else {
      this.#begun = null
      this.#readers.tooLong()
    }
  }
}
