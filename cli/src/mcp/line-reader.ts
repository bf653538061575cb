import { StringDecoder } from 'node:string_decoder'

const LINE_END = '\n'

type Readers = { readonly line: (line: string) => void; readonly tooLong: () => void }

/** Cuts a stream of bytes into lines of bounded length. It reports a longer line once and skips the rest of it, so the
 * line takes no memory. */
export class LineReader {
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
