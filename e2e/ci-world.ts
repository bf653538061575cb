import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { freePort } from '@keyferry/plumbing/free-port'
import github from '../api/test/claims/github.json' with { type: 'json' }
import gitlab from '../api/test/claims/gitlab.json' with { type: 'json' }
import kubernetes from '../api/test/claims/kubernetes.json' with { type: 'json' }
import { Issuer } from '../api/test/issuer.ts'
import manifest from '../cli/package.json' with { type: 'json' }
import { clientFolder } from '../web/test/client-folder.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { startTlsFront } from './tls-front.ts'

const MARKER_BYTES = 12

/** A platform that signs ID tokens, as its documents say. */
export type Platform = 'github' | 'gitlab' | 'kubernetes'

const PLATFORMS = { github, gitlab, kubernetes } as const
const TRUSTED = {
  github: { repository_id: ['74'], environment: ['prod'] },
  gitlab: { project_id: ['20'], ref: ['feature-branch-1'], ref_protected: ['false'] },
  kubernetes: { sub: [kubernetes.claims.sub] },
} as const satisfies Record<Platform, Record<string, string[]>>

/** A server with a bundle, a machine that three platforms' tokens prove, and a folder with the client as `keyferry`. */
export type CiWorld = {
  readonly server: RunningServer
  /** Where clients reach the server, over https. */
  readonly address: string
  /** Variables by which curl and the client trust the certificate of this address. */
  readonly trustVariables: Readonly<Record<string, string>>
  readonly machineId: string
  /** The values of the bundle prod/billing. */
  readonly values: Readonly<Record<string, string>>
  /** A folder for PATH. */
  readonly clientFolder: string
  /** ID tokens that were issued so far. */
  readonly issued: string[]
  /** An ID token of a job. `changes` replaces claims. */
  readonly idToken: (
    platform: Platform,
    audience?: string,
    changes?: Readonly<Record<string, unknown>>,
  ) => Promise<string>
  /** The variables by which a job of GitHub Actions requests ID tokens. */
  readonly requestVariables: Readonly<Record<string, string>>
  readonly dispose: () => Promise<void>
}

export async function startCiWorld(): Promise<CiWorld> {
  const issuer = new Issuer()
  await issuer.start()
  const commandFolder = await folderWithClient()
  const port = await freePort()
  const front = await startTlsFront(commandFolder, port)
  const server = await startServer({
    port,
    env: { PUBLIC_URL: front.url, LOG_LEVEL: 'trace', CLIENT_DIR: packagedClient() },
  })
  const values = await importValues(server.url)
  const machineId = await trustedMachine(server.url, issuer)
  const issued: string[] = []
  const idToken: CiWorld['idToken'] = async (platform, audience = front.url, changes = {}) => {
    const { issuer: iss, claims } = PLATFORMS[platform]
    const seconds = Math.floor(Date.now() / 1_000)
    const times = { iat: seconds, nbf: seconds, exp: seconds + 300 }
    const token = await issuer.sign({
      ...claims,
      ...times,
      iss,
      aud: audience,
      jti: randomBytes(8).toString('hex'),
      ...changes,
    })
    issued.push(token)
    return token
  }
  const endpoint = await startTokenEndpoint(idToken)
  const authority = front.certificateFile
  return {
    server,
    address: front.url,
    trustVariables: { CURL_CA_BUNDLE: authority, NODE_EXTRA_CA_CERTS: authority },
    machineId,
    values,
    clientFolder: commandFolder,
    issued,
    idToken,
    requestVariables: endpoint.variables,
    dispose: async () => {
      endpoint.server.close()
      issuer.stop()
      front.close()
      await server.dispose()
      await rm(commandFolder, { recursive: true, force: true })
    },
  }
}

function marker(): string {
  return `marker-${randomBytes(MARKER_BYTES).toString('hex')}`
}

async function importValues(server: string): Promise<Record<string, string>> {
  const values = {
    DATABASE_URL: `postgres://app:${marker()}@db/app`,
    TLS_KEY: `-----BEGIN-----\n${marker()}\n${marker()}\n-----END-----\n`,
    PERCENT: `100%0A${marker()} "it's" $HOME`,
  }
  const entries = Object.entries(values).map(([name, value]) => ({ name, value }))
  await createClient(server)('POST', '/api/v1/imports', { body: { bundle: 'prod/billing', entries } })
  return values
}

async function trustedMachine(server: string, issuer: Issuer): Promise<string> {
  const call = createClient(server)
  const [bundle] = await call('GET', '/api/v1/bundles')
  const { id } = await call('POST', '/api/v1/machines', { body: { name: 'ci-deploy' } })
  const grant = { machine_id: id, bundle_id: bundle?.id ?? '' }
  await call('PUT', '/api/v1/machines/{machine_id}/bundles/{bundle_id}', {
    params: grant,
    body: { scope: 'deliver' },
  })
  for (const platform of ['github', 'gitlab', 'kubernetes'] as const) {
    const body = { issuer: PLATFORMS[platform].issuer, claims: TRUSTED[platform], keys: issuer.jwks }
    await call('POST', '/api/v1/machines/{machine_id}/trusts', { params: { machine_id: id }, body })
  }
  return id
}

/** As the runner of GitHub Actions serves it (docs.github.com, "OpenID Connect reference"). */
async function startTokenEndpoint(
  idToken: CiWorld['idToken'],
): Promise<{ server: Server; variables: Record<string, string> }> {
  const requestToken = randomBytes(24).toString('hex')
  const answer = async ({ url = '', headers }: IncomingMessage, response: ServerResponse) => {
    const audience = new URL(url, 'http://runner').searchParams.get('audience')
    if (headers.authorization !== `Bearer ${requestToken}` || audience === null) response.writeHead(401).end()
    else response.end(JSON.stringify({ count: 1, value: await idToken('github', audience) }))
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    server,
    variables: {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/idtoken?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
    },
  }
}

/** The package that the server hands out: one that starts the client of this repository. */
function packagedClient(): string {
  const text = `#!/usr/bin/env node\nawait import('${CLIENT_PROGRAM}')\n`
  return clientFolder({ [`keyferry-${manifest.version}.tgz`]: packed(text) })
}

function packed(program: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-package-'))
  mkdirSync(join(folder, 'package/bin'), { recursive: true })
  writeFileSync(join(folder, 'package/package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'package/bin/keyferry.js'), program, { mode: 0o755 })
  return execFileSync('tar', ['-czf', '-', '-C', folder, 'package'])
}

async function folderWithClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-ci-'))
  const program = join(folder, 'keyferry')
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${CLIENT_PROGRAM}' "$@"\n`)
  await chmod(program, 0o755)
  return folder
}
