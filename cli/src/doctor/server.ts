import { existsSync } from 'node:fs'
import { CliError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { VERSION } from '../base/version.ts'
import {
  chooseServer,
  type FoundProject,
  findProject,
  PROJECT_FILE,
  type ServerChoice,
} from '../project/project-file.ts'
import { isTrusted } from '../project/trusted-folders.ts'
import { clockText, type ServerFacts, serverFacts } from '../server/server-facts.ts'
import { NoAnswer } from '../server/server-failure.ts'
import { broken, doubtful, type Finding, good } from './finding.ts'

const CLOCK_TOLERANCE_SECONDS = 30

/** Check which server is chosen and whether it answers. A server that a project's file names gets no request until the
 * person has confirmed it.
 * @returns `server`: its address; null if a request there needs a confirmation, or cannot succeed */
export async function examineServer(serverFlag: string | null, parts: Parts) {
  try {
    const project = findProject(parts.cwd)
    const choice = chooseServer(serverFlag, project, parts.env)
    const mayAsk = isConfirmed(choice, project, parts)
    const settings = [
      good('server', `${choice.server} (${choice.source})`),
      ...overridden(choice, project),
      ...projectFindings(project, mayAsk),
      ...proxy(parts),
      ...authorities(parts),
    ]
    if (!mayAsk) return { findings: settings, server: null }
    const reached = await reach(choice.server, parts)
    const isThere = reached.every(({ state }) => state !== 'broken')
    return { findings: [...settings, ...reached], server: isThere ? choice.server : null }
  } catch (error) {
    if (error instanceof CliError) {
      return { findings: [broken('settings', error.message, error.next)], server: null }
    }
    throw error
  }
}

function overridden({ server, source }: ServerChoice, project: FoundProject | null): Finding[] {
  if (project?.server === undefined || project.server === server) return []
  const what = `${PROJECT_FILE} names ${printable(project.server)}, but ${source} overrides it`
  return [doubtful('server', what, `Unset ${source} unless you want this.`)]
}

function isConfirmed({ server, source }: ServerChoice, project: FoundProject | null, parts: Parts): boolean {
  return (
    source !== PROJECT_FILE || project === null || isTrusted({ folder: project.serverFolder, server }, parts)
  )
}

function projectFindings(project: FoundProject | null, isServerConfirmed: boolean): Finding[] {
  if (project === null) return []
  const found = good(PROJECT_FILE, `read from ${printable(project.folder)}`)
  if (isServerConfirmed) return [found]
  return [
    found,
    doubtful(
      'trust',
      'its server is not confirmed for this folder, so doctor did not contact it',
      'Confirm it with keyferry run, or name it with --server.',
    ),
  ]
}

function authorities({ env }: Parts): Finding[] {
  return ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].flatMap((name) => {
    const path = env[name] ?? ''
    if (path === '') return []
    if (existsSync(path)) return [good('authorities', `${name} is ${printable(path)}`)]
    return [
      broken(
        'authorities',
        `${name} names a file that does not exist: ${printable(path)}`,
        `Fix or unset ${name}.`,
      ),
    ]
  })
}

function proxy({ env }: Parts): Finding[] {
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].filter(
    (name) => (env[name] ?? '') !== '',
  )
  return names.length === 0 ? [] : [good('proxy', `${names.join(', ')} is set`)]
}

async function reach(server: string, parts: Parts): Promise<Finding[]> {
  try {
    const facts = await serverFacts(server, parts)
    return [answers(facts), clockDifference(facts)]
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return [broken('connection', error.message, error.next)]
  }
}

function answers({ version, authMode, roundTripMs }: ServerFacts): Finding {
  if (version === null) {
    return broken('connection', 'this is not a Keyferry server', 'Check the address and the port.')
  }
  const what = `Keyferry ${version}, sign-in ${authMode ?? 'unknown'}, ${roundTripMs} ms away`
  const isFar = version.split('.')[0] !== VERSION.split('.')[0]
  return isFar
    ? doubtful('connection', what, `This client is ${VERSION}. Use the same major version for both.`)
    : good('connection', what)
}

function clockDifference({ clockAheadSeconds }: ServerFacts): Finding {
  const what = clockText(clockAheadSeconds)
  return Math.abs(clockAheadSeconds ?? 0) <= CLOCK_TOLERANCE_SECONDS
    ? good('clock', what)
    : doubtful('clock', what, 'Requests work anyway, but set the clock for other programs.')
}
