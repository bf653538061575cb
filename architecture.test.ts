import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

// What the rooms of the web-facing layer read of ours.
const BOTH_SERVERS = ['contract', 'crypto', 'plumbing']

/** Each package or layer, and what it may import from beside itself; the longest matching name counts. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  crypto: [],
  plumbing: [],
  'api/src/domain': ['contract', 'crypto'],
  'api/src/storage': [
    'api/src/storage/schema/modules.ts',
    'api/src/storage/programs/modules.ts',
    'api/src/storage/people/modules.ts',
    'api/src/domain',
    'contract',
    'crypto',
    'plumbing',
  ],
  'api/src/storage/schema/modules.ts': [
    'api/src/accounts/storage',
    'api/src/machines/storage',
    'api/src/webhooks/storage',
    'api/src/mail/storage',
  ],
  'api/src/storage/programs/modules.ts': ['api/src/machines/storage'],
  'api/src/storage/people/modules.ts': ['api/src/accounts/storage'],
  'api/src/request-store': ['api/src/domain', 'contract', 'crypto', 'plumbing'],
  'api/src/outgoing': ['api/src/domain', 'contract', 'crypto', 'plumbing'],
  'api/src/accounts/domain': ['api/src/domain', 'contract', 'crypto'],
  'api/src/accounts/storage': [
    'api/src/accounts/domain',
    'api/src/storage',
    'api/src/domain',
    'contract',
    'crypto',
  ],
  'api/src/accounts': [
    'api/src/accounts/domain',
    'api/src/accounts/storage',
    'api/src/module-parts.ts',
    'api/src/maintenance.ts',
    'api/src/operator-commands.ts',
    'api/src/http',
    'api/src/storage',
    'api/src/domain',
    'contract',
    'crypto',
  ],
  'api/src/machines/domain': ['api/src/domain', 'contract', 'crypto'],
  'api/src/machines/storage': [
    'api/src/machines/domain',
    'api/src/storage',
    'api/src/domain',
    'contract',
    'crypto',
  ],
  'api/src/machines/federation': [
    'api/src/machines/domain',
    'api/src/outgoing',
    'api/src/domain',
    'plumbing',
  ],
  'api/src/machines': [
    'api/src/machines/domain',
    'api/src/machines/storage',
    'api/src/machines/federation',
    'api/src/module-parts.ts',
    'api/src/sweeping.ts',
    'api/src/http',
    'api/src/storage',
    'api/src/domain',
    'contract',
  ],
  'api/src/webhooks/domain': ['api/src/domain', 'contract', 'crypto'],
  'api/src/webhooks/storage': [
    'api/src/webhooks/domain',
    'api/src/storage',
    'api/src/domain',
    'contract',
    'crypto',
  ],
  'api/src/webhooks/sending': [
    'api/src/webhooks/domain',
    'api/src/outgoing',
    'api/src/domain',
    'contract',
    'crypto',
  ],
  'api/src/webhooks': [
    'api/src/webhooks/domain',
    'api/src/webhooks/storage',
    'api/src/webhooks/sending',
    'api/src/module-parts.ts',
    'api/src/sweeping.ts',
    'api/src/outgoing',
    'api/src/http',
    'api/src/storage',
    'api/src/domain',
    'contract',
  ],
  'api/src/mail/domain': ['api/src/domain', 'contract', 'crypto'],
  'api/src/mail/storage': ['api/src/mail/domain', 'api/src/storage', 'api/src/domain', 'contract', 'crypto'],
  'api/src/mail/sending': ['api/src/mail/domain', 'contract', 'crypto', 'plumbing'],
  'api/src/mail': [
    'api/src/mail/domain',
    'api/src/mail/storage',
    'api/src/mail/sending',
    'api/src/module-parts.ts',
    'api/src/sweeping.ts',
    'api/src/outgoing',
    'api/src/http',
    'api/src/storage',
    'api/src/domain',
    'contract',
    'crypto',
  ],
  'api/src/sweeping.ts': ['api/src/domain', 'plumbing'],
  'api/src/settings.ts': ['api/src/domain', 'contract', 'crypto', 'plumbing'],
  'api/src/module-parts.ts': [
    'api/src/settings.ts',
    'api/src/outgoing',
    'api/src/http',
    'api/src/storage',
    'api/src/domain',
    'crypto',
    'plumbing',
  ],
  'api/src/maintenance.ts': ['api/src/settings.ts', 'api/src/storage', 'crypto'],
  'api/src/operator-commands.ts': [
    'api/src/maintenance.ts',
    'api/src/settings.ts',
    'api/src/short-lived.ts',
    'api/src/storage',
    'api/src/domain',
    'contract',
    'crypto',
  ],
  'api/src/short-lived.ts': [
    'api/src/settings.ts',
    'api/src/request-store',
    'api/src/auth',
    'api/src/http',
    'api/src/domain',
    'plumbing',
  ],
  'api/src/auth': ['api/src/domain', 'contract', 'crypto'],
  'api/src/http': ['api/src/domain', 'contract', 'crypto', 'plumbing'],
  api: [
    'api/src/module-parts.ts',
    'api/src/maintenance.ts',
    'api/src/operator-commands.ts',
    'api/src/short-lived.ts',
    'api/src/accounts',
    'api/src/settings.ts',
    'api/src/sweeping.ts',
    'api/src/machines',
    'api/src/webhooks',
    'api/src/mail',
    'api/src/outgoing',
    'api/src/http',
    'api/src/auth',
    'api/src/storage',
    'api/src/request-store',
    'api/src/domain',
    'contract',
    'crypto',
    'plumbing',
  ],
  'web/server/settings.ts': [],
  'web/server/cookies.ts': [],
  'web/server/http': BOTH_SERVERS,
  'web/server/internal-api': ['web/server/http', 'web/server/settings.ts', ...BOTH_SERVERS],
  'web/server/sessions': ['web/server/http', 'web/server/cookies.ts', ...BOTH_SERVERS],
  'web/server/identity': [
    'web/server/sessions',
    'web/server/internal-api',
    'web/server/http',
    'web/server/cookies.ts',
    'web/server/settings.ts',
    ...BOTH_SERVERS,
  ],
  'web/server/forwarding': [
    'web/server/identity',
    'web/server/internal-api',
    'web/server/http',
    ...BOTH_SERVERS,
  ],
  'web/server/client-files': ['web/server/http', ...BOTH_SERVERS],
  'web/server/pages': ['web/server/identity', 'web/server/http', 'web/server/cookies.ts', ...BOTH_SERVERS],
  'web/server': [
    'web/server/forwarding',
    'web/server/client-files',
    'web/server/pages',
    'web/server/identity',
    'web/server/sessions',
    'web/server/internal-api',
    'web/server/http',
    'web/server/settings.ts',
    ...BOTH_SERVERS,
  ],
  'web/app/lib': ['contract', 'deploy'],
  'web/app/ui': ['web/app/lib', 'contract'],
  'web/app/features': ['web/app/ui', 'web/app/lib', 'contract'],
  'web/app': ['web/app/features', 'web/app/ui', 'web/app/lib', 'contract'],
  web: [],
  deploy: [],
  cli: ['contract', 'crypto', 'plumbing'],
  server: ['api', 'web/server', 'contract', 'crypto', 'plumbing'],
}

/** The floors of a house, the ground first: a room may import from the floors below it, not from its neighbours. Files
 * that are in no room are the roof. */
const FLOORS: Record<string, readonly (readonly string[])[]> = {
  'api/src/domain': [
    ['base'],
    ['people'],
    ['audit', 'library'],
    ['transfer'],
    ['deliveries'],
    ['requests'],
    ['approvals'],
    ['kinds'],
    ['endings'],
    ['collection'],
  ],
  'api/src/storage': [
    ['schema'],
    ['row-macs'],
    ['base'],
    ['rules', 'programs'],
    ['reach'],
    ['keys-at-rest'],
    ['people', 'requests', 'holders'],
    ['audit', 'bundles'],
    ['keys'],
    ['deliveries'],
    ['transfer'],
    ['maintenance'],
  ],
  'cli/src': [
    ['base'],
    ['terminal', 'command-line', 'output', 'program', 'redaction', 'server', 'state'],
    ['project', 'receipt', 'release', 'machine'],
    ['delivery'],
    ['deposit', 'names', 'flags'],
    ['import', 'doctor', 'mcp', 'verify', 'watch'],
    ['edit'],
    ['commands'],
  ],
}

const ROOMS = Object.keys(MAY_IMPORT).toSorted((a, b) => b.length - a.length)
const PACKAGES = {
  '@keyferry/contract': 'contract',
  '@keyferry/crypto': 'crypto',
  '@keyferry/plumbing': 'plumbing',
  '@keyferry/api': 'api',
  '@keyferry/web': 'web/server',
}
const NO_NAMES = /(^|\/)(utils?|helpers?|common|types|config|db|manager)(\.tsx?$|\/)/

const files = globSync('{contract,crypto,plumbing,api,web,cli,server}/**/*.{ts,tsx}', {
  exclude: (path) => /(^|\/)(node_modules|dist|test)(\/|$)|\.(test|contract)\.tsx?$/.test(path),
})

const inFolder = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

/** The lists of optional modules, and the folders that they name. */
const MODULE_LISTS = globSync('{contract,api,web,cli,server}/**/modules.ts', {
  exclude: ['**/node_modules/**'],
})
const MODULES = MODULE_LISTS.flatMap((list) =>
  [...readFileSync(list, 'utf8').matchAll(/export \* as (\w+) from '(.+)'/g)].map(
    ([, name = '', target = '']) => {
      const path = join(dirname(list), target)
      return path.slice(0, path.indexOf(`/${name}/`) + 1 + name.length)
    },
  ),
)

const roomOf = (path: string) => ROOMS.find((room) => path.startsWith(`${room}/`) || path === room)

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap(([, target = '']) => {
    if (target.endsWith('.json')) return []
    if (target.startsWith('.')) return [normalize(join(dirname(file), target))]
    const module = target.startsWith('@keyferry/contract/')
      ? target.replace('@keyferry/contract', 'contract/src')
      : ''
    if (MODULES.some((folder) => inFolder(module, folder))) return [module]
    const owner = Object.entries(PACKAGES).find(([name]) => target === name || target.startsWith(`${name}/`))
    return owner === undefined ? [] : [owner[1]]
  })
}

test('the arrows between rooms run downward only', () => {
  const wrong = files.flatMap((file) => {
    const from = roomOf(file) ?? file
    return importsOf(file)
      .map((target) => roomOf(target) ?? target)
      .filter((to) => to !== from && !(MAY_IMPORT[from] ?? []).includes(to))
      .map((to) => `${file} → ${to}`)
  })
  expect(files.length).toBeGreaterThan(20)
  expect(wrong).toEqual([])
})

/** The room of a house that a file is in; undefined for a file of another house, and for the roof. */
function roomIn(house: string, path: string): string | undefined {
  const [room, file] = path.startsWith(`${house}/`) ? path.slice(house.length + 1).split('/') : []
  return file === undefined ? undefined : room
}

test.each(Object.entries(FLOORS))('in %s, a room imports only from the floors below it', (house, floors) => {
  const floorOf = (room: string) => floors.findIndex((rooms) => rooms.includes(room))
  const inside = files.flatMap((file) => {
    const room = roomIn(house, file)
    return room === undefined ? [] : [{ file, room }]
  })
  expect(new Set(inside.map(({ room }) => room))).toEqual(new Set(floors.flat()))
  const upward = inside.flatMap(({ file, room }) =>
    importsOf(file)
      .filter((to) => to.startsWith(`${house}/`) && roomIn(house, to) !== room)
      .filter(
        (to) => floorOf(roomIn(house, to) ?? 'roof') < 0 || floorOf(roomIn(house, to) ?? '') >= floorOf(room),
      )
      .map((to) => `${file} → ${to}`),
  )
  expect(upward).toEqual([])
})

test('the tables of holders have one door', () => {
  const room = 'api/src/storage/holders/'
  const others = files.filter((file) => !file.startsWith(room))
  const around = others.flatMap((file) =>
    importsOf(file)
      .filter((to) => to.startsWith(room) && to !== `${room}holders.ts`)
      .map((to) => `${file} → ${to}`),
  )
  expect(others.flatMap(importsOf)).toContain(`${room}holders.ts`)
  expect(around).toEqual([])
  const queries = /'holdings'|from holdings/
  expect(others.filter((file) => queries.test(readFileSync(file, 'utf8')))).toEqual([])
})

test('what takes rights from a person is called only where their approvals end', () => {
  const taking = /\.(members\.change|groups\.(change|provide)|users\.change|acceptInvitation)\(/
  const callers = files.filter(
    (file) => file.startsWith('api/src/') && taking.test(readFileSync(file, 'utf8')),
  )
  expect(callers).toEqual(['joining', 'leaving'].map((name) => `api/src/domain/approvals/${name}.ts`))
})

test('when an address is proven is written in one place', () => {
  const writing = /proven_key(:| \})/
  const writers = files.filter(
    (file) => file.startsWith('api/src/') && writing.test(readFileSync(file, 'utf8')),
  )
  expect(writers.toSorted()).toEqual([
    'api/src/storage/people/user-events.ts',
    'api/src/storage/schema/people.ts',
  ])
})

test('nothing imports an optional module, except its own files and the lists of modules', () => {
  expect(MODULES).toContain('api/src/webhooks')
  const moduleOf = (path: string) =>
    MODULES.find((folder) => inFolder(path, folder))
      ?.split('/')
      .at(-1)
  const wrong = files
    .filter((file) => !MODULE_LISTS.includes(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((to) => moduleOf(to) !== undefined && moduleOf(to) !== moduleOf(file))
        .map((to) => `${file} → ${to}`),
    )
  expect(wrong).toEqual([])
})

// Folders that are flat lists of siblings: endpoints, schemas, commands, routes, primitives, widgets.
const LISTS =
  /^(contract\/src\/(endpoints|schemas)|cli\/src\/commands|crypto\/src|api\/src\/http|web\/app\/ui)$/

test('a folder has at most 25 loose files, unless it is a list of siblings', () => {
  const counts = Object.groupBy(files, (file) => dirname(file))
  const crowded = Object.entries(counts).filter(
    ([folder, inIt = []]) => inIt.length > 25 && !LISTS.test(folder),
  )
  expect(crowded.map(([folder]) => folder)).toEqual([])
})

const feature = (path: string) => /^web\/(?:app\/features|server\/identity)\/([^/]+)\//.exec(path)?.[1]

test('features do not import one another, nor do the modes of sign-in', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((to) => feature(file) && feature(to) && feature(file) !== feature(to))
      .map((to) => `${file} → ${to}`),
  )
  expect(wrong).toEqual([])
})

test('no file imports itself through others', () => {
  const imports = new Map(files.map((file) => [file, importsOf(file)]))
  const reached = (from: string, seen = new Set<string>()): Set<string> => {
    for (const to of imports.get(from) ?? []) if (!seen.has(to)) reached(to, seen.add(to))
    return seen
  }
  expect(files.filter((file) => reached(file).has(file))).toEqual([])
})

const isComment = (line: string) => /^\s*(\*|\/\/|\/\*)/.test(line)
const isText = (line: string) => /['"`]|^\s*\/\S/.test(line)

test('a line has at most 120 columns, unless it holds a text that a reader looks for whole', () => {
  const long = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.length > 120 && (isComment(line) || !isText(line)))
      .map((line) => `${file}: ${line}`),
  )
  expect(long).toEqual([])
})

/** The types of a file, without those inside of functions. */
function typesIn(file: string): string[] {
  const declared = /^(?:export )?(?:declare )?(?:type|interface) (\w+)/gm
  return [...readFileSync(file, 'utf8').matchAll(declared)].map(([, name = '']) => name)
}

const programOf = (file: string) => /^(?:web\/\w+|\w+)/.exec(file)?.[0] ?? ''

test('a type name is declared once, except for the nouns of the interface, once in each program', () => {
  // What pages get, by the nouns of the interface. The API and the client have the same nouns.
  const nouns = new Set(files.filter((file) => file.endsWith('/answers.ts')).flatMap(typesIn))
  const placesByName = new Map<string, string[]>()
  for (const file of files)
    for (const name of typesIn(file)) {
      const place = nouns.has(name) ? `${programOf(file)} ${name}` : name
      placesByName.set(place, [...(placesByName.get(place) ?? []), file])
    }
  const repeated = [...placesByName].filter(([name, places]) => places.length > 1 && name !== 'Props')
  expect(nouns).toContain('Bundle')
  expect(repeated).toEqual([])
})

test('no file or folder has a name that says nothing', () => {
  expect(files.filter((file) => NO_NAMES.test(file))).toEqual([])
})

const METAPHORS =
  /\b(?:[a-z]\w*(?:Told|Tell|Heard|Hear|Away|Meant|Bell)|[tT]old|[tT]ell|[hH]eard?|away|[mM]eant|bell)/
const NAMED = new RegExp(`${METAPHORS.source}(?:s|ing)?(?:[A-Z]\\w*)?(?=\\s?[=:(<}]|\\.\\w|\\)? =>)`, 'g')
const withoutTexts = (source: string) => source.replaceAll(/'(?:[^'\\\n]|\\.)*'|\/\*[\s\S]*?\*\/|\/\/.*/g, '')

test('a name in the code says what it is in words of the field', () => {
  const sources = globSync(
    '{*,{contract,crypto,plumbing,api,web,cli,server,e2e,bench,release}/**/*}.{ts,tsx}',
    {
      exclude: ['**/node_modules/**', '**/dist/**'],
    },
  )
  // Stored columns and indexes keep their names.
  const named = sources.flatMap((file) =>
    file.startsWith('api/src/storage/schema/') || file.endsWith('/storage/rows.ts')
      ? []
      : [...withoutTexts(readFileSync(file, 'utf8')).matchAll(NAMED)].map(([name]) => `${file}: ${name}`),
  )
  expect(sources.length).toBeGreaterThan(1000)
  expect(named).toEqual([])
})

test('only crypto uses cryptography, except for random ids', () => {
  const uses = /import (?!\{ randomUUID \}).* from '(node:crypto|@noble\/[^']+|sodium-native)'/
  const outside = files.filter((file) => !file.startsWith('crypto/') && uses.test(readFileSync(file, 'utf8')))
  expect(outside).toEqual([])
})

test('servers take the HTTP modules of Node from plumbing/src/node-http.ts', () => {
  const uses = /import (?!type ).* from '(?:node:)?https?'/
  const outside = files.filter((file) => !file.startsWith('cli/') && uses.test(readFileSync(file, 'utf8')))
  expect(outside).toEqual([])
})

type Locked = {
  version?: string
  integrity?: string
  link?: boolean
  os?: string | string[]
  optionalDependencies?: Record<string, string>
}

const lockedIn = (file: string): Record<string, Locked> => JSON.parse(readFileSync(file, 'utf8')).packages

const packages = lockedIn('package-lock.json')
const LOCK_FILES = [packages, lockedIn('e2e/tools/package-lock.json')]

test.each(LOCK_FILES)('every archive that npm ci installs has its integrity in lock file %#', (locked) => {
  const archives = Object.entries(locked).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  expect(archives.length).toBeGreaterThan(100)
  expect(
    archives.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
  ).toEqual([])
})

test('the Node.js that npm ci brings is one of these archives', () => {
  // This package has an install script that downloads the program, so its integrity says nothing about the program.
  expect(packages['node_modules/node']).toBeUndefined()
  const brought = Object.keys(packages['']?.optionalDependencies ?? {}).filter((name) =>
    name.startsWith('node-'),
  )
  expect(brought.flatMap((name) => packages[`node_modules/${name}`]?.os)).toEqual(
    expect.arrayContaining(['linux', 'darwin', 'win32']),
  )
  const here = brought.find((name) => existsSync(`node_modules/${name}`)) ?? ''
  const version = execFileSync(process.execPath, ['launch.cjs', '--version'], { encoding: 'utf8' }).trim()
  expect(version).toBe(`v${packages[`node_modules/${here}`]?.version}`)
})

test.each(LOCK_FILES)('no optional dependency of a locked package is missing from lock file %#', (locked) => {
  const resolves = (from: string, name: string): boolean => {
    if (locked[join(from, 'node_modules', name)]) return true
    const parent = from.lastIndexOf('/node_modules/')
    return from !== '' && resolves(parent < 0 ? '' : from.slice(0, parent), name)
  }
  const missing = Object.entries(locked).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !resolves(path, name))
      .map((name) => `${path} needs ${name}`),
  )
  expect(missing).toEqual([])
})
