/** A place in a text that moves forward only and knows its line. */
export class Cursor {
  readonly #text: string
  #at = 0
  #line = 1
  // Where the current line ends. Kept, so that a line of many small parts is searched once and not once per part.
  #lineEnd: number

  constructor(text: string) {
    this.#text = text
    this.#lineEnd = this.#nextLineEnd(0)
  }

  /** Counted from 1, by line feeds. */
  get line(): number {
    return this.#line
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length
  }

  /** Whether `pattern` (sticky) matches here. */
  sees(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    return pattern.test(this.#text)
  }

  /** Move behind what `pattern` (sticky) matches here.
   * @returns the match and its groups, or null, then nothing has moved */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match) this.#moveTo(this.#at + match[0].length)
    return match
  }

  #moveTo(end: number): void {
    this.#at = end
    while (this.#lineEnd < end) {
      this.#line += 1
      this.#lineEnd = this.#nextLineEnd(this.#lineEnd + 1)
    }
  }

  #nextLineEnd(from: number): number {
    const found = this.#text.indexOf('\n', from)
    return found === -1 ? this.#text.length : found
  }
}
