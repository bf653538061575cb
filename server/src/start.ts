import { resolve } from 'node:path'
import type { ApiSettings } from '@keyferry/api'
import { randomToken } from '@keyferry/crypto/token'
import { apiSettings, metricsOf } from './api-settings.ts'
import { lockDataFolder, prepareDataFolder } from './data-folder.ts'
import { type RootKeys, readRootKeyFile, rootKeysOfFolder } from './root-key/root-key-file.ts'
import { type Role, required, requireSafeStart } from './safe-start.ts'
import type { Settings } from './setting-table.ts'
import { chooseSocketPath } from './socket-path.ts'
import { webSettings } from './web-settings.ts'

/** A running server. `stop` answers held calls and lets running calls finish, after `/readyz` said so for
 * `drainSeconds`. */
export type Running = {
  address: string
  dataDir: string
  madeRootKey: boolean
  setupCode: string | null
  stop: (drainSeconds: number) => Promise<void>
}

type Parts = { version: string }

/** Start one role.
 * @throws StartError · errors of listening and of the stores */
export async function start(role: Role, settings: Settings, parts: Parts): Promise<Running> {
  requireSafeStart(settings, role)
  if (role === 'all') return await startAll(settings, parts)
  return role === 'api' ? await startApiAlone(settings, parts) : await startWebAlone(settings, parts)
}

async function startAll(settings: Settings, { version }: Parts): Promise<Running> {
  const data = openData(settings)
  const socket = chooseSocketPath(data.dataDir)
  const sharedSecrets: ApiSettings['sharedSecrets'] = settings.BFF_SHARED_SECRET ?? [randomToken()]
  const place = { dataDir: data.dataDir, sharedSecrets, version }
  const [{ startApi }, { startWeb }] = await Promise.all([import('@keyferry/api'), import('@keyferry/web')])
  const listen = { socketPath: socket.path }
  const api = await startApi(apiSettings(settings, { ...place, listen, rootKeys: data.rootKeys }))
  const metrics = settings.METRICS_PORT === undefined ? null : 'elsewhere'
  const web = await startWeb(webSettings(settings, { ...place, api: listen, metrics }))
  const stop = async (drainSeconds: number) => {
    await Promise.all([web.close(drainSeconds), api.close(drainSeconds)])
    socket.remove()
    data.unlock()
  }
  return {
    address: web.address,
    dataDir: data.dataDir,
    madeRootKey: data.madeRootKey,
    setupCode: api.setupCode,
    stop,
  }
}

async function startApiAlone(settings: Settings, { version }: Parts): Promise<Running> {
  const sharedSecrets = required(settings, 'BFF_SHARED_SECRET', 'keyferry-server api')
  const isAllElsewhere = settings.DATABASE_URL !== undefined && settings.REDIS_URL !== undefined
  const data = isAllElsewhere ? noData(settings) : openData(settings)
  const listen = { host: settings.HOST, port: settings.PORT }
  const { startApi } = await import('@keyferry/api')
  const api = await startApi(apiSettings(settings, { ...data, listen, sharedSecrets, version }))
  const stop = async (drainSeconds: number) => {
    await api.close(drainSeconds)
    data.unlock()
  }
  return {
    address: api.address,
    dataDir: data.dataDir,
    madeRootKey: data.madeRootKey,
    setupCode: api.setupCode,
    stop,
  }
}

async function startWebAlone(settings: Settings, { version }: Parts): Promise<Running> {
  const sharedSecrets = required(settings, 'BFF_SHARED_SECRET', 'keyferry-server web')
  const api = { urls: required(settings, 'API_URL', 'keyferry-server web') }
  const dataDir = resolve(settings.DATA_DIR)
  if (settings.AUTH_MODE !== 'local' && settings.REDIS_URL === undefined) prepareDataFolder(dataDir)
  const { startWeb } = await import('@keyferry/web')
  const metrics = metricsOf(settings)
  const web = await startWeb(webSettings(settings, { api, dataDir, sharedSecrets, metrics, version }))
  return { address: web.address, dataDir, madeRootKey: false, setupCode: null, stop: web.close }
}

type Data = { dataDir: string; rootKeys: RootKeys; madeRootKey: boolean; unlock: () => void }

function openData(settings: Settings): Data {
  const dataDir = resolve(settings.DATA_DIR)
  prepareDataFolder(dataDir)
  const unlock = lockDataFolder(dataDir)
  return { dataDir, unlock, ...rootKeysOf(settings, dataDir) }
}

function noData(settings: Settings): Data {
  const dataDir = resolve(settings.DATA_DIR)
  return { dataDir, unlock: () => undefined, ...rootKeysOf(settings, dataDir) }
}

function rootKeysOf(settings: Settings, dataDir: string): { rootKeys: RootKeys; madeRootKey: boolean } {
  if (settings.ROOT_KEY) return { rootKeys: settings.ROOT_KEY, madeRootKey: false }
  const from = settings.ROOT_KEY_FROM ?? 'file'
  if (settings.ROOT_KEY_FILE)
    return { rootKeys: readRootKeyFile(settings.ROOT_KEY_FILE, from), madeRootKey: false }
  const { keys, isNew } = rootKeysOfFolder(dataDir, from)
  return { rootKeys: keys, madeRootKey: isNew }
}
