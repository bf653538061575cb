import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BEHAVIOURS } from '../cli/test/behaviours.ts'
import { type ScriptedServer, startScriptedServer } from '../cli/test/scripted-server.ts'
import { hasPrograms } from '../plumbing/test/programs.ts'
import { until } from '../plumbing/test/until.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { closeTerminals, hasTerminal, inTerminal, type Terminal } from './terminal.ts'

const WORKSPACE = '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21'
const KEYFERRY = [process.execPath, CLIENT_PROGRAM]

const VIMRC = `set undofile undodir=~/kept backup backupdir=~/kept directory=~/kept viminfo='9
autocmd VimEnter * set history=9`
const NANORC = 'set backup\nset backupdir "~/kept"\nset historylog\nset positionlog\n'
const EMACS = `(setq backup-directory-alist '(("." . "~/kept")) backup-by-copying t)`

/** Editors that are set to keep copies in the home folder, and the keys that change the port, store and end. */
const EDITORS = [
  { program: 'vim', rc: '.vimrc', settings: VIMRC, keys: ['ggVGy:%s/8080/9090/\r', ':wq\r'] },
  {
    program: 'nvim',
    rc: '.config/nvim/init.vim',
    settings: VIMRC,
    keys: ['ggVGy:%s/8080/9090/\r', ':wq\r'],
  },
  {
    program: 'nano',
    rc: '.config/nano/nanorc',
    settings: NANORC,
    keys: ['ADDED=9090\r', '\x0f', '\r', '\x18'],
  },
  { program: 'emacs', rc: '.emacs', settings: EMACS, keys: ['ADDED=9090\r', '\x18\x13', '\x18\x03'] },
]

// The server delivers values and stores none, so that each edit ends with a text that is kept.
describe.skipIf(!hasTerminal())('an editor at the terminal', () => {
  let server: ScriptedServer
  let home: string
  let runtime: string

  beforeAll(async () => {
    server = await startScriptedServer(BEHAVIOURS['approves long values'])
  })
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'keyferry-edit-'))
    runtime = mkdtempSync(join(tmpdir(), 'keyferry-edit-run-'))
    mkdirSync(join(home, 'kept'))
  })
  afterEach(() => {
    for (const folder of [home, runtime]) rmSync(folder, { recursive: true, force: true })
  })
  afterAll(() => {
    closeTerminals()
    server.close()
  })

  function edit(editor: string, prefix: readonly string[] = []): Terminal {
    const { PATH } = process.env
    const usual = { PATH, HOME: home, XDG_RUNTIME_DIR: runtime, KEYFERRY_SERVER: server.url }
    const env = {
      ...usual,
      XDG_CONFIG_HOME: join(home, '.config'),
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      EDITOR: editor,
    }
    const argv = [...prefix, ...KEYFERRY, 'edit', 'dev/app', '-w', WORKSPACE, '--no-open', '-q']
    return inTerminal(argv, { cwd: home, env })
  }

  /** An editor that is a script. */
  function script(text: string): string {
    const path = join(home, 'editor')
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    return path
  }

  function keptText(): string {
    const [folder = ''] = readdirSync(runtime).filter((name) => name.startsWith('keyferry-files-'))
    return readFileSync(join(runtime, folder, 'values.env'), 'utf8')
  }

  describe.each(EDITORS)('$program', ({ program, rc, settings, keys }) => {
    test.skipIf(!hasPrograms(program))(
      'leaves no value in its backups, undo files and histories',
      async () => {
        mkdirSync(dirname(join(home, rc)), { recursive: true })
        writeFileSync(join(home, rc), settings.replaceAll('~', home))
        const shown = edit(program === 'emacs' ? 'emacs -nw' : program)
        await shown.appears(/DATABASE_URL/)
        for (const key of keys) {
          shown.type(key)
          await new Promise((resolve) => void setTimeout(resolve, 300)) // an editor reads some keys only alone
        }
        await shown.exit
        expect(keptText()).toContain('9090')
        expect(shown.output()).not.toContain('may keep copies')
        expect(spawnSync('grep', ['-rla', 's3cret', home], { encoding: 'utf8' }).stdout).toBe('')
      },
    )
  })

  test('Ctrl-C and Ctrl-\\ are the editor’s', async () => {
    const read = 'while ! read -r line; do :; done; sed -i s/8080/9090/ "$1"'
    const shown = edit(script(`trap 'echo got INT' INT; trap 'echo got QUIT' QUIT; echo ready; ${read}`))
    await shown.appears(/ready/)
    shown.type('\x03')
    await shown.appears(/got INT/)
    shown.type('\x1c')
    await shown.appears(/got QUIT/)
    shown.type('\n')
    expect(await shown.exit).toBe(6)
    expect(keptText()).toContain('PORT=9090')
    expect(shown.output()).toContain('To store it later: keyferry import')
  })

  test('Ctrl-C is the client’s again at its own question, and what was typed is kept', async () => {
    const shown = edit(script(`echo 'OPEN="' >> "$1"`))
    await shown.appears(/Edit again\? \[Y\/n\]/)
    shown.type('\x03')
    expect(await shown.exit).toBe(130)
    expect(shown.output()).toMatch(/your text is in .*values\.env/)
    expect(keptText()).toContain('OPEN="')
  })

  test('a signal to the client ends the editor, and what was stored in the file is kept', async () => {
    const editor = script('sed -i s/8080/9090/ "$1"; echo "editor $$"; exec sleep 60')
    const shown = edit(editor, ['sh', '-c', '"$@" & echo "client $!"; wait $!', 'sh'])
    const [, client] = await shown.appears(/client (\d+)/)
    const [, child] = await shown.appears(/editor (\d+)/)
    process.kill(Number(client), 'SIGTERM')
    expect(await shown.exit).toBe(143)
    await until('the end of the editor', () => !isRunning(Number(child)))
    expect(keptText()).toContain('PORT=9090')
  })

  test('a text is overwritten before it is deleted', async () => {
    const bytes = join(runtime, 'bytes')
    // Another name of the same bytes.
    expect(await edit(script(`ln "$1" '${bytes}'`)).exit).toBe(0)
    const left = readFileSync(bytes)
    expect(left.length).toBeGreaterThan(0)
    expect(left.equals(Buffer.alloc(left.length))).toBe(true)
  })

  test('a text that was not changed is deleted', async () => {
    const shown = edit('true')
    expect(await shown.exit).toBe(0)
    expect(readdirSync(runtime).filter((name) => name.startsWith('keyferry-files-'))).toEqual([])
  })
})

function isRunning(pid: number): boolean {
  const ps = execFileSync('ps', ['-A', '-o', 'pid=,stat='], { encoding: 'utf8' })
  return new RegExp(`^\\s*${pid} [^Z]`, 'm').test(ps)
}
