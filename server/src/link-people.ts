import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { LinkReport } from '@keyferry/api'
import {
  endedGrants,
  endSessions,
  type Maintenance,
  type Operated,
  withApi,
  withRequests,
} from './maintenance.ts'
import { required } from './safe-start.ts'
import type { Settings } from './settings/setting-table.ts'
import { StartError } from './start-error.ts'

export const LINK_COMMANDS = {
  'link-people': {
    means:
      'say what linking new ways to sign in to people would change; with apply, do it. A line of FILE is: OLD NEW',
    argument: '[apply] FILE',
    run: withApi(async (on, argument) => {
      const [, verb, file = ''] = /^(apply )?(.+)$/.exec(argument) ?? []
      return await link(on, file, verb !== undefined)
    }),
  },
  'unlink-people': {
    means: 'list the links of all people; undo one by its id',
    argument: '[LINK]',
    run: withApi(async (on, id) => (id === '' ? await listed(on) : await undo(on, id))),
  },
} satisfies Record<string, Maintenance>

async function undo(on: Operated, id: string): Promise<string> {
  const undone = await on.api.undoLinkOf(withRequests(on), id)
  if (undone === null) throw new StartError('no such link')
  const sessions = await endSessions(on.settings, 'both people', undone.ended)
  return `The link is undone.\n${sessions}\n${endedGrants(undone)}`
}

async function listed({ api, database }: Operated): Promise<string> {
  const links = await api.listLinksOf(database)
  if (links.length === 0) return 'No sign-in is linked.'
  const lines = links.map(
    ({ linked_at, ...sides }) => `${described({ ...sides, refusal: null }, '')}  linked ${linked_at}`,
  )
  return lines.join('\n')
}

async function link(on: Operated, file: string, isApplied: boolean) {
  const { idpUserId } = await import('@keyferry/web')
  const issuer = issuerOf(on.settings)
  const pairs = linesOf(file).map(([old, fresh]) => ({
    old,
    fresh: issuer === null ? { email: fresh } : { idpUserId: idpUserId(issuer, fresh) },
  }))
  const reports = await on.api.linkPeople(withRequests(on), pairs, isApplied)
  const isWell = reports.every(({ refusal }) => refusal === null)
  const lines = reports.map((report, index) => described(report, pairs[index]?.old ?? ''))
  const text = lines.join('\n')
  if (!isWell) return { text: `${text}\nNothing was changed: correct these lines first.`, isWell }
  if (!isApplied) return `${text}\nNothing was changed. To do it: keyferry-server link-people apply ${file}`
  const ids = reports.flatMap(({ ended }) => ended)
  const remembered = reports.reduce((sum, report) => sum + report.remembered, 0)
  return `${text}\n${await endSessions(on.settings, 'these people', ids)}\n${endedGrants({ remembered })}`
}

/** The issuer of the subjects in the file; null: the file has e-mail addresses of accounts. */
function issuerOf(settings: Settings): string | null {
  const { AUTH_MODE } = settings
  if (AUTH_MODE === 'local') throw new StartError('AUTH_MODE=local has one person: set how people sign in')
  if (AUTH_MODE === 'accounts') return null
  return required(settings, AUTH_MODE === 'oidc' ? 'OIDC_ISSUER' : 'CLERK_ISSUER', 'link-people')
}

function linesOf(file: string): [string, string][] {
  const lines = readFileSync(resolve(file), 'utf8')
    .split('\n')
    .map((line) => line.trim())
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [old, fresh, ...more] = line.split(/\s+/)
      if (old === undefined || fresh === undefined || more.length > 0)
        throw new StartError(`a line of the file is not OLD NEW: ${JSON.stringify(line)}`)
      return [old, fresh]
    })
}

function described(
  { old, fresh, id, refusal }: Omit<LinkReport, 'ended' | 'remembered'>,
  asked: string,
): string {
  if (refusal !== null) return `${asked}: ${refusal}`
  const from = fresh === null ? 'a way to sign in that was not used yet' : named(fresh)
  return `${old === null ? asked : named(old)} ← ${from}${id === null ? '' : `  link ${id}`}`
}

function named({ email, userId, workspaces }: NonNullable<LinkReport['old']>): string {
  return `${email} (${userId}, workspaces: ${workspaces})`
}
