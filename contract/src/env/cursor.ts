/** A place in a text that knows its line. */
export class Cursor {
  readonly #text: string
  #at = 0
  #line = 1
  // The end of the current line is kept, so that a line of many small parts is searched once, not once per part.
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

  /** Where this is, for `backTo`. */
  get place(): { readonly at: number; readonly line: number } {
    return { at: this.#at, line: this.#line }
  }

  /** Return to a place that was passed. */
  backTo({ at, line }: { readonly at: number; readonly line: number }): void {
    this.#at = at
    this.#line = line
    this.#lineEnd = this.#nextLineEnd(at)
  }

  /** Whether `pattern` (sticky) matches here. */
  sees(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    return pattern.test(this.#text)
  }

  /** Move behind what `pattern` (sticky) matches here.
   * @returns the match and its groups; null, and nothing moves, where it does not match */
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
