import { spawn } from 'node:child_process'
import { isatty } from 'node:tty'

const FORWARDED = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGWINCH',
  'SIGCONT',
] as const

type ForwardedSignal = (typeof FORWARDED)[number]

// Longer than a busy machine needs. A signal that arrives twice does less harm than one that is lost.
const ANSWER_MS = 2_000

/** Signals that ask a program to end. */
export const ENDING: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])

type SignalParts = {
  readonly platform: NodeJS.Platform
  /** Whether the program has its own process group. */
  readonly hasOwnGroup: boolean
}

/** Listen to signals. `isSeen`: it was sent to our whole process group, as a terminal sends Ctrl-C, so the program in
 * it has got it, and forwarding it would deliver it twice.
 * @returns ends the listening */
export function onForwardedSignals(
  { platform, hasOwnGroup }: SignalParts,
  onSignal: (signal: NodeJS.Signals, isSeen: Promise<boolean>) => Promise<void>,
): () => void {
  const witness = platform === 'win32' || hasOwnGroup ? null : openWitness()
  const listeners = FORWARDED.map((signal) => {
    const isFromConsole = platform === 'win32' && isatty(0) && signal === 'SIGINT'
    const listener = (): void => void onSignal(signal, witness?.saw(signal) ?? Promise.resolve(isFromConsole))
    process.on(signal, listener)
    return { signal, listener }
  })
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener)
    witness?.end()
  }
}

// Prints each signal that it gets, and each line that it reads. A shell runs a trap before its next command, so a
// signal that came before the line is printed before it.
const SCRIPT = [
  ...FORWARDED.map((signal) => `trap 'echo ${signal}; t=1' ${signal.slice('SIG'.length)}`),
  'while :; do t=; if read -r line; then echo "$line"; elif [ -z "$t" ]; then exit; fi; done',
].join('\n')

/** A process in our group that tells which signals it got. The system does not tell a process whether a signal was
 * sent to it or to its group. */
function openWitness() {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'pipe', 'ignore'], env: {} })
  const seen = new Set<string>()
  const asked = new Map<string, () => void>()
  let isGone = false
  const onGone = (signal: string | null): void => {
    isGone = true
    if (signal !== null) seen.add(signal) // before it could listen
    for (const answer of asked.values()) answer()
  }
  shell.on('error', () => onGone(null))
  shell.on('exit', (_code, signal) => onGone(signal))
  shell.stdin.on('error', () => undefined) // it is gone
  let text = ''
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) (asked.get(line) ?? (() => void seen.add(line)))()
  })
  let count = 0
  return {
    saw: async (signal: ForwardedSignal): Promise<boolean> => {
      count += 1
      const question = String(count)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ANSWER_MS)
        asked.set(question, () => resolve(clearTimeout(timer)))
        if (isGone) asked.get(question)?.()
        else shell.stdin.write(`${question}\n`)
      })
      asked.delete(question)
      return seen.delete(signal)
    },
    end: () => {
      shell.stdin.end()
      shell.stdout.destroy()
      shell.unref()
    },
  }
}
