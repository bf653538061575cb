import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { eventOutput, NO_KEYBOARD } from '../base/announce.ts'
import { usageError } from '../base/cli-error.ts'
import type { CleanUp, Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { withResolvers } from '../base/with-resolvers.ts'
import { canBeShown, shownCommand } from '../delivery/claims.ts'
import { deliver } from '../delivery/deliver.ts'
import type { ValuesRequest } from '../delivery/values-request.ts'
import { type Captured, capture } from '../program/capture.ts'
import { requireProgram } from '../program/find-program.ts'
import { programEnvironment } from '../program/program-environment.ts'
import { outputFilters } from '../redaction/redacted-stream.ts'

const MAX_OUTPUT_BYTES = 64 * 1_024

/** A command that an agent wants to run with values. */
export type WantedRun = {
  readonly bundle: string
  readonly keys: readonly string[]
  readonly argv: readonly string[]
  readonly reason: string
  /** Relative to the folder of this client. */
  readonly cwd: string
  readonly timeoutS: number
}

/** Who wants it, and where it runs. */
export type RunHost = Pick<ValuesRequest, 'server' | 'workspace' | 'isWorkspaceFlag' | 'folder'> & {
  readonly parts: Parts
  readonly agent: string
  /** Shows the approval page to the person; null: this client opens a browser. */
  readonly openLink: ((link: string) => void) | null
}

/** `isReturned`: the page sends the approval back to this computer, so it need not show the code. */
export type RunApproval = { readonly link: string; readonly userCode: string; readonly isReturned: boolean }

/** One run of an approved command: exactly as approved, once, without a shell and without input. The values are
 * replaced in its output. */
export class ApprovedRun {
  /** Resolves when a person is asked; never, if an earlier approval counts. */
  readonly asked: Promise<RunApproval>
  /** @throws CliError */
  readonly ended: Promise<Captured>
  /** How a person approves it; null until a person is asked. */
  approval: RunApproval | null = null
  /** What it waits for, in words. */
  state = 'requesting the values'
  readonly #host: RunHost
  readonly #cancelled = new AbortController()
  readonly #cleanUps = new Set<CleanUp>()
  readonly #onAsked: (approval: RunApproval) => void
  #openedLink: string | null = null
  #isProgramRunning = false

  constructor(wanted: WantedRun, host: RunHost) {
    this.#host = host
    const { promise, resolve: onAsked } = withResolvers<RunApproval>()
    this.asked = promise
    this.#onAsked = onAsked
    this.ended = this.#run(wanted)
  }

  /** Withdraw the request, or end the program and wait for its end. `ended` never settles after a withdrawal. */
  async cancel(): Promise<void> {
    this.#cancelled.abort()
    await Promise.all([...this.#cleanUps].map(async (cleanUp) => await cleanUp()))
    if (this.#isProgramRunning) await Promise.allSettled([this.ended])
  }

  async #run(wanted: WantedRun): Promise<Captured> {
    const parts = this.#parts(folderOf(wanted, this.#host.parts))
    requireShownWhole(wanted.argv)
    requireProgram(wanted.argv[0] ?? '', parts)
    const { values, secrets } = await deliver(requestOf(wanted, this.#host), parts)
    this.state = 'the program runs'
    this.#isProgramRunning = true
    const env = programEnvironment(parts.env, values, { isOnly: false, keepsExisting: false })
    const filters = await outputFilters(secrets, { ...parts, redaction: 'always', agent: this.#host.agent })
    const start = { argv: wanted.argv, env, searchPath: parts.env['PATH'] ?? null, filters }
    const limits = { timeoutMs: wanted.timeoutS * 1_000, maxBytes: MAX_OUTPUT_BYTES }
    const takeBack = this.#host.parts.atInterrupt(() => this.cancel())
    return await capture(start, { ...limits, cwd: parts.cwd, cancelled: this.#cancelled.signal }).finally(
      takeBack,
    )
  }

  // The terminal belongs to the agent: nothing is read from it, and the progress is read here.
  #parts(cwd: string): Parts {
    const { parts, openLink } = this.#host
    const open = openLink ?? parts.openBrowser
    return {
      ...parts,
      cwd,
      keyboard: NO_KEYBOARD,
      stderr: eventOutput((event) => this.#follow(event)),
      view: 'json',
      openBrowser: (link) => {
        this.#openedLink = link
        open(link)
      },
      atInterrupt: (cleanUp) => this.#atInterrupt(cleanUp),
    }
  }

  #follow({ event, approval_url, user_code, command }: Readonly<Record<string, unknown>>): void {
    if (event === 'asked') {
      this.state = 'waiting for a person to approve'
      const link = this.#openedLink ?? String(approval_url)
      this.approval = { link, userCode: String(user_code), isReturned: link !== approval_url }
      this.#onAsked(this.approval)
    }
    if (event === 'approver_needed') this.state = 'waiting for another person who may approve'
    if (event === 'second_approval_needed') this.state = 'waiting for a second person to approve'
    if (event === 'release_needed')
      this.state = `approved: the person has to run "${String(command)}" in a terminal on this machine, with the code from the page`
  }

  #atInterrupt(cleanUp: CleanUp): () => void {
    const takeBack = this.#host.parts.atInterrupt(cleanUp)
    this.#cleanUps.add(cleanUp)
    return () => {
      this.#cleanUps.delete(cleanUp)
      takeBack()
    }
  }
}

function requestOf(
  { bundle, keys, argv, reason }: WantedRun,
  { server, workspace, isWorkspaceFlag, folder, agent }: RunHost,
): ValuesRequest {
  return {
    server,
    as: 'person',
    bundle,
    workspace,
    isWorkspaceFlag,
    folder,
    acceptsAnyBundle: false,
    keys,
    optionalKeys: [],
    prefix: '',
    allowedNames: [],
    format: 'sh',
    command: argv,
    via: 'run',
    agent,
    reason,
    requiredAssurance: null,
    receiptFile: null,
    isRemembered: true,
    use: { redaction: 'always', flags: ['mcp'] },
    whyNotOpen: null,
    hidesQrCode: true,
  }
}

function folderOf({ cwd }: WantedRun, parts: Parts): string {
  const folder = resolve(parts.cwd, cwd)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw usageError(`cwd is not a folder: ${printable(folder)}`, 'Give a folder that exists.')
}

// The person approves what they see, so nothing of the command may be left out or hidden from them.
function requireShownWhole(argv: readonly string[]): void {
  if (!canBeShown(argv)) {
    throw usageError(
      'argv cannot be shown whole: it is too long, or has NUL or half of a surrogate pair',
      'Put the command into a script file, and run that.',
    )
  }
  if (shownCommand(argv).isMasked) {
    throw usageError(
      'argv contains what looks like a secret, which the approval page would hide',
      'Let the program read it from its environment.',
    )
  }
}
