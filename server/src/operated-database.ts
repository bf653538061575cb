import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSettings } from '@keyferry/api'
import { publicHostOf } from './api-settings.ts'
import { type RootKeys, readRootKeyFile, rootKeyFile } from './root-key/root-key-file.ts'
import type { Settings } from './settings/setting-table.ts'
import { StartError } from './start-error.ts'

/** The database of the settings, without its root keys.
 * @throws StartError: DATA_DIR does not exist */
export function placeOf(settings: Settings): Omit<DatabaseSettings, 'rootKeys'> {
  const dataDir = resolve(settings.DATA_DIR)
  const databaseUrl = settings.DATABASE_URL ?? null
  if (databaseUrl === null && !existsSync(dataDir))
    throw new StartError(`DATA_DIR ${dataDir} does not exist: set it to the folder of the server`)
  return { dataDir, databaseUrl, publicHost: publicHostOf(settings) }
}

/** The database of the settings.
 * @throws StartError: there is no root key */
export function databaseOf(settings: Settings): DatabaseSettings {
  const place = placeOf(settings)
  return { ...place, rootKeys: existingRootKeys(settings, place.dataDir) }
}

/** @throws StartError: there is no root key */
export function existingRootKeys(settings: Settings, dataDir: string): RootKeys {
  if (settings.ROOT_KEY) return settings.ROOT_KEY
  const from = settings.ROOT_KEY_FROM ?? 'file'
  if (settings.ROOT_KEY_FILE) return readRootKeyFile(settings.ROOT_KEY_FILE, from)
  requireRootKeyFile(dataDir)
  return readRootKeyFile(rootKeyFile(dataDir), from)
}

/** @throws StartError: the data folder has no root key */
export function requireRootKeyFile(dataDir: string): void {
  if (!existsSync(rootKeyFile(dataDir)))
    throw new StartError(`${rootKeyFile(dataDir)} is missing: put the root key there, or set ROOT_KEY`)
}
