import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { PATIENCE_MS } from '../../../plumbing/test/until.ts'
import { type FamilyName, NAME_FAMILIES, whyDangerous } from './dangerous-names.ts'

// Each test shows with a real program why a family is refused: it runs the command, or does what the value says.

const folder = mkdtempSync(join(tmpdir(), 'keyferry-programs-'))
const [ran, script, repository] = [
  join(folder, 'ran'),
  join(folder, 'keyferry-shown'),
  join(folder, 'repository'),
]
// What the variables point to.
const code = join(folder, 'code')
const BASE = { PATH: process.env['PATH'] ?? '', HOME: folder }

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(repository, { recursive: true })
  mkdirSync(code)
  writeFileSync(script, `#!/bin/sh\n: > ${ran}\nexit 1\n`)
  chmodSync(script, 0o755)
  write('.bashrc', `: > ${ran}\n`)
  write('sitecustomize.py', `open(${JSON.stringify(ran)}, 'w')\n`)
  write('package.json', '{"scripts":{"x":"true"}}')
  write('Ran.pm', `open(my $f, '>', '${ran}'); 1;\n`)
  write('code.cjs', `require('fs').writeFileSync(${JSON.stringify(ran)}, '')`)
  write('init.tcl', `close [open ${ran} w]`)
  write('ls.fish', `function ls; echo > ${ran}; end`)
  write('wgetrc', `use_askpass=${script}`)
  write('a.c', '')
  for (const name of ['cc1', 'troff']) symlinkSync(script, join(code, name))
  write('makefile', 'all:\n\techo "x"; :\nclean:\n\t$(RM) x\na.o: a.s\n\t$(AS) $<\na.s:\n')
  spawnSync('git', ['init', '-q', repository], { env: BASE })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string): void {
  writeFileSync(join(code, name), text)
}

type Env = Record<string, string>
type Demonstration = {
  readonly family: FamilyName
  readonly program: string
  readonly args: () => readonly string[]
  /** Its names are those that are shown to be dangerous. */
  readonly env: () => Env
}

const CLIENT = join(import.meta.dirname, '../../../cli/bin/keyferry.js')

const libm = () => globSync('/usr/lib*/{*/,}libm.so.6')[0] ?? ''
const commit = () => [
  '-C',
  repository,
  '-c',
  'user.name=a',
  '-c',
  'user.email=a@example.org',
  'commit',
  '--allow-empty',
]

const DEMONSTRATIONS: readonly Demonstration[] = [
  {
    family: 'linker',
    program: 'sh',
    args: () => ['-c', `grep -q libm.so.6 /proc/self/maps && : > ${ran}`],
    env: () => ({ LD_PRELOAD: libm() }),
  },
  { family: 'shell', program: 'bash', args: () => ['-c', ':'], env: () => ({ BASH_ENV: script }) },
  { family: 'shell', program: 'sh', args: () => ['-i', '-c', ':'], env: () => ({ ENV: script }) },
  { family: 'shell', program: 'zsh', args: () => ['-fc', '> /dev/null'], env: () => ({ NULLCMD: script }) },
  {
    family: 'shell',
    program: 'zsh',
    args: () => ['-fc', '< /dev/null'],
    env: () => ({ READNULLCMD: script }),
  },
  { family: 'shell', program: 'fish', args: () => ['-c', 'ls'], env: () => ({ fish_function_path: code }) },
  {
    family: 'search',
    program: '/bin/sh',
    args: () => ['-c', 'keyferry-shown'],
    env: () => ({ PATH: folder }),
  },
  {
    family: 'home',
    program: 'bash',
    args: () => ['-i', '-c', ':'],
    env: () => ({ HOME: code }),
  },
  {
    family: 'python',
    program: '/usr/bin/python3',
    args: () => ['-c', 'pass'],
    env: () => ({ PYTHONPATH: code }),
  },
  {
    family: 'python',
    program: '/usr/bin/python3',
    args: () => ['-c', 'pass'],
    env: () => ({ PYTHONWARNINGS: 'all:0:antigravity.x:0:0', BROWSER: script }),
  },
  {
    family: 'node',
    program: process.execPath,
    args: () => ['-e', '0'],
    env: () => ({ NODE_OPTIONS: `--require ${join(code, 'code.cjs')}` }),
  },
  {
    family: 'node',
    program: 'npm',
    args: () => ['--prefix', code, 'run', 'x'],
    env: () => ({ npm_config_script_shell: script }),
  },
  {
    family: 'node',
    program: join(import.meta.dirname, '../../../node_modules/.bin/biome'),
    args: () => ['--version'],
    env: () => ({ BIOME_BINARY: script }),
  },
  {
    family: 'java',
    program: 'java',
    args: () => ['-version'],
    env: () => ({ JAVA_TOOL_OPTIONS: `-Xlog:all=error:file=${ran}` }),
  },
  {
    family: 'java',
    program: 'mvn',
    args: () => ['-version'],
    env: () => ({ MAVEN_DEBUG_OPTS: `-Xlog:all=error:file=${ran}` }),
  },
  {
    family: 'languages',
    program: 'perl',
    args: () => ['-e', '1'],
    env: () => ({ PERL5OPT: `-I${code} -MRan` }),
  },
  {
    family: 'languages',
    program: 'tclsh',
    args: () => ['/dev/null'],
    env: () => ({ TCL_LIBRARY: code }),
  },
  {
    family: 'git',
    program: 'git',
    args: () => ['ls-remote', 'ssh://example.invalid/x'],
    env: () => ({ GIT_SSH_COMMAND: script }),
  },
  {
    family: 'git',
    program: 'git',
    args: () => ['-C', repository, 'status'],
    env: () => ({ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.fsmonitor', GIT_CONFIG_VALUE_0: script }),
  },
  { family: 'tools', program: 'git', args: commit, env: () => ({ TERM: 'xterm', EDITOR: script }) },
  { family: 'tools', program: 'git', args: commit, env: () => ({ TERM: 'xterm', VISUAL: script }) },
  {
    family: 'tools',
    program: 'script',
    args: () => ['-qec', `git -C ${repository} -p config --list`, '/dev/null'],
    env: () => ({ PAGER: script }),
  },
  {
    family: 'tools',
    program: 'tar',
    args: () => ['-cf', '/dev/null', join(code, 'makefile')],
    env: () => ({ TAR_OPTIONS: `--checkpoint=1 --checkpoint-action=exec=${script}` }),
  },
  {
    family: 'tools',
    program: 'groff',
    args: () => [join(code, 'a.c')],
    env: () => ({ GROFF_BIN_PATH: code }),
  },
  {
    family: 'tools',
    program: 'wget',
    args: () => ['-O', '/dev/null', 'http://127.0.0.1:1/'],
    env: () => ({ SYSTEM_WGETRC: join(code, 'wgetrc') }),
  },
  {
    family: 'build',
    program: 'gcc',
    args: () => ['-c', join(code, 'a.c'), '-o', '/dev/null'],
    env: () => ({ COMPILER_PATH: code }),
  },
  {
    family: 'build',
    program: 'make',
    args: () => ['-f', join(code, 'makefile')],
    env: () => ({ MAKEFLAGS: `-- SHELL=${script}` }),
  },
  ...(['RM', 'AS'] as const).map((name) => ({
    family: 'build' as const,
    program: 'make',
    args: () => ['-f', join(code, 'makefile'), 'clean', 'a.o'],
    env: () => ({ [name]: script }),
  })),
  {
    family: 'keyferry',
    program: 'sh',
    args: () => ['-c', `'${process.execPath}' '${CLIENT}' doctor 2>&1 | grep -q 127.0.0.1:1 && : > ${ran}`],
    env: () => ({ KEYFERRY_SERVER: 'http://127.0.0.1:1' }),
  },
  {
    family: 'tls',
    program: 'sh',
    args: () => [
      '-c',
      `${process.execPath} -e 'require("tls").connect(1).on("error", () => 0)' 2>&1 | grep -q insecure && : > ${ran}`,
    ],
    env: () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
  },
]

// Neutral settings that a demonstration needs beside the dangerous name.
const NEUTRAL = new Set(['TERM'])

test.for(DEMONSTRATIONS)(
  '$family: $program obeys the variable, so the client refuses it (%#)',
  (shown, { skip }) => {
    const env = shown.env()
    for (const name of Object.keys(env).filter((key) => !NEUTRAL.has(key)))
      expect(whyDangerous(name)).not.toBeNull()
    const run = (more: Env) =>
      spawnSync(shown.program, shown.args(), {
        cwd: folder,
        env: { ...BASE, ...more },
        timeout: PATIENCE_MS,
        stdio: 'ignore',
      })
    const harmless = run({})
    if (harmless.error && 'code' in harmless.error && harmless.error.code === 'ENOENT') {
      skip(`${shown.program} is not installed: only the refusal is shown`)
    }
    expect(existsSync(ran)).toBe(false)
    run(env)
    expect(existsSync(ran)).toBe(true)
  },
)

test('proxy: git sends its traffic to the server that the variable names', async () => {
  const paths: string[] = []
  const proxy = createServer((request, response) => {
    paths.push(request.url ?? '')
    response.writeHead(502).end()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const git = spawn('git', ['ls-remote', 'http://example.invalid/x'], {
    env: { ...BASE, http_proxy: `http://127.0.0.1:${port}` },
    stdio: 'ignore',
  })
  await new Promise((resolve) => git.on('close', resolve))
  await new Promise((resolve) => proxy.close(resolve))
  expect(paths[0]).toContain('http://example.invalid/x')
  for (const name of ['http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'no_proxy'])
    expect(whyDangerous(name)).not.toBeNull()
})

test('every family is shown by a program', () => {
  const shown = new Set<string>(['proxy', ...DEMONSTRATIONS.map(({ family }) => family)])
  expect(Object.keys(NAME_FAMILIES).filter((name) => !shown.has(name))).toEqual([])
})
