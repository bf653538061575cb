import type { Key } from 'node:readline'

/** The signals that a terminal sends for a key. */
export type Signal = 'SIGINT' | 'SIGQUIT' | 'SIGTSTP'

/** What a key does, besides editing. `line`: Enter. `end`: Ctrl-D. `pasted`: the end of a paste. */
export type TypingStep = 'more' | 'line' | 'end' | 'pasted' | Signal

const SIGNALS: ReadonlyMap<string, Signal> = new Map([
  ['\u0003', 'SIGINT'],
  ['\u001a', 'SIGTSTP'],
  ['\u001c', 'SIGQUIT'],
])

export function isSignal(step: unknown): step is Signal {
  return step === 'SIGINT' || step === 'SIGQUIT' || step === 'SIGTSTP'
}

// They have no meaning here, and people press them by mistake.
const IGNORED = /^(?:up|down|pageup|pagedown|insert|escape|f\d+)$/

// U+FFFD stands for bytes that are not UTF-8.
const REFUSED = /[\p{Cc}\ufffd]/u

/** A secret while a person types or pastes it. Enter may belong to a paste: only the caller knows whether more text
 * follows at once, so it adds keys until there is a pause. */
export class HiddenText {
  #characters: string[] = []
  #cursor = 0
  #isPasting = false
  #wasReturn = false
  #lineEnd: string | null = null
  /** A control character came, so the text is not what the person meant. */
  isRefused = false
  /** Line ends came outside a marked paste. The person may have typed ahead. */
  isUnclear = false

  /** @param character absent for keys that have none */
  next(character: string | undefined, key: Key): TypingStep {
    if (key.name === 'paste-start' || key.name === 'paste-end') {
      this.#isPasting = key.name === 'paste-start'
      return this.#isPasting ? 'more' : 'pasted'
    }
    if (this.#isPasting) return this.#paste(character ?? key.sequence ?? '')
    const signal = SIGNALS.get(key.sequence ?? '')
    if (signal !== undefined) return signal
    if (key.name === 'return' || key.name === 'enter') return this.#endLine(key.name)
    if (key.sequence === '\u0004') return 'end'
    this.#keepLineEnd()
    const edit = editOf(key)
    if (edit !== undefined) this.#edit(edit)
    else if (character !== undefined && !REFUSED.test(character)) this.#insert(character)
    else if (!IGNORED.test(key.name ?? '')) this.isRefused = true
    return 'more'
  }

  /** The text without one line end at its end. */
  get text(): string {
    return this.#characters.join('').replace(/\n$/, '')
  }

  /** How much came, which may be shown: `28 lines, 1704 characters`. */
  get size(): string {
    const [lines, length] = [this.text.split('\n').length, Array.from(this.text).length]
    return `${lines} ${lines === 1 ? 'line' : 'lines'}, ${length} ${length === 1 ? 'character' : 'characters'}`
  }

  /** Whether a PEM block has begun and not ended. */
  get isIncomplete(): boolean {
    return this.text.split('-----BEGIN ').length > this.text.split('-----END ').length
  }

  #paste(sequence: string): TypingStep {
    const isSecondHalf = sequence === '\n' && this.#wasReturn // CR LF is one line end
    this.#wasReturn = sequence === '\r'
    if (isSecondHalf) return 'more'
    if (sequence === '\r' || sequence === '\n') this.#insert('\n')
    else if (sequence === '\t' || !REFUSED.test(sequence)) this.#insert(sequence)
    else this.isRefused = true
    return 'more'
  }

  #endLine(name: string): TypingStep {
    if (this.#lineEnd === 'return' && name === 'enter') return 'line'
    this.#keepLineEnd()
    this.#lineEnd = name
    return 'line'
  }

  #keepLineEnd(): void {
    if (this.#lineEnd === null) return
    this.#lineEnd = null
    this.isUnclear = true
    this.#insert('\n')
  }

  #insert(character: string): void {
    this.#characters.splice(this.#cursor, 0, character)
    this.#cursor += 1
  }

  /** Remove what is between the cursor and the place where the edit takes it, or only move. */
  #edit({ to, isErasing }: TextEdit): void {
    const target = to(this.#characters, this.#cursor)
    const from = Math.min(target, this.#cursor)
    if (isErasing) this.#characters.splice(from, Math.abs(target - this.#cursor))
    this.#cursor = isErasing ? from : target
  }
}

type TextEdit = {
  readonly to: (characters: readonly string[], cursor: number) => number
  readonly isErasing: boolean
}

const PLACES = {
  back: (_: readonly string[], cursor: number) => Math.max(0, cursor - 1),
  forward: ({ length }: readonly string[], cursor: number) => Math.min(length, cursor + 1),
  start: () => 0,
  end: ({ length }: readonly string[]) => length,
  word: (characters: readonly string[], cursor: number) => {
    let at = cursor
    while (/^\s$/.test(characters[at - 1] ?? '')) at -= 1
    while (/^\S/.test(characters[at - 1] ?? '')) at -= 1
    return at
  },
}

// As in the shell's line: the keys with and without Ctrl.
const MOVES: Readonly<Record<string, keyof typeof PLACES>> = {
  left: 'back',
  'ctrl-b': 'back',
  right: 'forward',
  'ctrl-f': 'forward',
  home: 'start',
  'ctrl-a': 'start',
  end: 'end',
  'ctrl-e': 'end',
}
const ERASURES: Readonly<Record<string, keyof typeof PLACES>> = {
  backspace: 'back',
  delete: 'forward',
  'ctrl-u': 'start',
  'ctrl-k': 'end',
  'ctrl-w': 'word',
}

function editOf({ name = '', ctrl, meta }: Key): TextEdit | undefined {
  const key = `${ctrl ? 'ctrl-' : ''}${meta ? 'meta-' : ''}${name}`
  const [move, erasure] = [MOVES[key], ERASURES[key]]
  if (move !== undefined) return { to: PLACES[move], isErasing: false }
  return erasure === undefined ? undefined : { to: PLACES[erasure], isErasing: true }
}
