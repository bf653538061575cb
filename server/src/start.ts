import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { ApiSettings, StartNote } from '@keyferry/api'
import { randomToken } from '@keyferry/crypto/token'
import { apiSettings, metricsOf } from './api-settings.ts'
import { lockDataFolder, prepareDataFolder } from './data-folder.ts'
import { existingRootKeys } from './operated-database.ts'
import { makeRootKeyOnce, type RootKeys } from './root-key/root-key-file.ts'
import { required, requireSafeStart, requireSocketsOfOthers, type ServerRole } from './safe-start.ts'
import type { Settings } from './settings/setting-table.ts'
import { webSettings } from './web-settings.ts'

/** A running server. `stop` answers waiting calls and lets running calls finish, after `/readyz` said so for
 * `drainSeconds`. */
export type Running = {
  address: string
  dataDir: string
  madeRootKey: boolean
  startNotes: readonly StartNote[]
  stop: (drainSeconds: number) => Promise<void>
  /** Reads root key files again. */
  useRootKeys: () => Promise<void>
}

/** `sockets`: descriptors of listening sockets that systemd opened; null: the server opens its own. */
type StartParts = { version: string; sockets: readonly number[] | null }

/** Start one role.
 * @throws StartError · errors of listening and of the stores */
export async function start(role: ServerRole, settings: Settings, parts: StartParts): Promise<Running> {
  requireSafeStart(settings, role)
  if (parts.sockets) requireSocketsOfOthers(settings, role)
  if (role === 'all') return await startAll(settings, parts)
  return role === 'api' ? await startApiAlone(settings, parts) : await startWebAlone(settings, parts)
}

async function startAll(settings: Settings, { version, sockets }: StartParts): Promise<Running> {
  const data = openData(settings)
  const socket = chooseSocketPath(data.dataDir)
  const sharedSecrets: ApiSettings['sharedSecrets'] = settings.BFF_SHARED_SECRET ?? [randomToken()]
  const place = { dataDir: data.dataDir, sharedSecrets, version }
  const [{ startApi }, { startWeb }] = await Promise.all([import('@keyferry/api'), import('@keyferry/web')])
  const listen = { socketPath: socket.path }
  const api = await startApi(apiSettings(settings, { ...place, listen, rootKeys: data.rootKeys }))
  const metrics = settings.METRICS_PORT === undefined ? null : 'elsewhere'
  const web = await startWeb(webSettings(settings, { ...place, api: listen, metrics, sockets }))
  const stop = async (drainSeconds: number) => {
    await Promise.all([web.close(drainSeconds), api.close(drainSeconds)])
    socket.remove()
    data.unlock()
  }
  return { ...ofApi(api, data, settings), address: web.address, stop }
}

async function startApiAlone(settings: Settings, { version }: StartParts): Promise<Running> {
  const sharedSecrets = required(settings, 'BFF_SHARED_SECRET', 'keyferry-server api')
  const isAllElsewhere = settings.DATABASE_URL !== undefined && settings.REDIS_URL !== undefined
  const data = openData(settings, isAllElsewhere)
  const listen = { host: settings.HOST, port: settings.PORT }
  const { startApi } = await import('@keyferry/api')
  const api = await startApi(apiSettings(settings, { ...data, listen, sharedSecrets, version }))
  const stop = async (drainSeconds: number) => {
    await api.close(drainSeconds)
    data.unlock()
  }
  return { ...ofApi(api, data, settings), address: api.address, stop }
}

type Api = Awaited<ReturnType<typeof import('@keyferry/api').startApi>>

function ofApi(api: Api, { dataDir, madeRootKey }: Data, settings: Settings) {
  return {
    dataDir,
    madeRootKey,
    startNotes: api.startNotes,
    useRootKeys: () => api.useRootKeys(rootKeysOf(settings, dataDir).rootKeys),
  }
}

const NO_KEYS = { madeRootKey: false, startNotes: [], useRootKeys: async () => {} }

async function startWebAlone(settings: Settings, parts: StartParts): Promise<Running> {
  const sharedSecrets = required(settings, 'BFF_SHARED_SECRET', 'keyferry-server web')
  const api = { urls: required(settings, 'API_URL', 'keyferry-server web') }
  const dataDir = resolve(settings.DATA_DIR)
  if (settings.AUTH_MODE !== 'local' && settings.REDIS_URL === undefined) prepareDataFolder(dataDir)
  const { startWeb } = await import('@keyferry/web')
  const metrics = metricsOf(settings)
  const web = await startWeb(webSettings(settings, { api, dataDir, sharedSecrets, metrics, ...parts }))
  return { ...NO_KEYS, address: web.address, dataDir, stop: web.close }
}

type Data = { dataDir: string; rootKeys: RootKeys; madeRootKey: boolean; unlock: () => void }

function openData(settings: Settings, isUnused = false): Data {
  const dataDir = resolve(settings.DATA_DIR)
  if (!isUnused) prepareDataFolder(dataDir)
  const unlock = isUnused ? () => undefined : lockDataFolder(dataDir)
  return { dataDir, unlock, ...rootKeysOf(settings, dataDir) }
}

function rootKeysOf(settings: Settings, dataDir: string): { rootKeys: RootKeys; madeRootKey: boolean } {
  const isGiven = settings.ROOT_KEY !== undefined || settings.ROOT_KEY_FILE !== undefined
  const madeRootKey = !isGiven && makeRootKeyOnce(dataDir, settings.ROOT_KEY_FROM ?? 'file')
  return { rootKeys: existingRootKeys(settings, dataDir), madeRootKey }
}

/** Unix socket addresses have 104 bytes on some systems, 108 on others. */
const MAX_BYTES = 100

/** Choose the path of the socket that joins the two layers of one process: in the data folder, or in a new temporary
 * folder when the data folder's path is too long. The API removes the socket of a killed process, and its own at the
 * end.
 * @returns `remove` deletes the temporary folder, if there is one */
function chooseSocketPath(dataDir: string): { path: string; remove: () => void } {
  const inDataDir = join(dataDir, 'api.sock')
  if (Buffer.byteLength(inDataDir) <= MAX_BYTES) return { path: inDataDir, remove: () => undefined }
  const path = join(mkdtempSync(join(tmpdir(), 'keyferry-')), 'api.sock')
  return { path, remove: () => rmSync(dirname(path), { recursive: true, force: true }) }
}
