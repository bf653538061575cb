import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@keyferry/plumbing/free-port'
import { until } from '../../plumbing/test/until.ts'
import type { Engine, EnginePage } from './engine.ts'
import { COMMANDS, type Send, webDriverPage } from './webdriver.ts'

/** WebKit as in Safari, in WebKitGTK's small browser. It has no headless mode, so it gets its own display. */
export const WEBKIT: Engine = {
  name: 'WebKit',
  programs: { 'webkit2gtk-driver': 'WebKitWebDriver', xvfb: 'Xvfb' },
  media: [],
  start: async ({ folder }) => {
    await allowNarrowWindows(folder)
    const screen = ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp']
    const display = spawn('Xvfb', screen, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    const [number] = await once(display.stdio[3] ?? display, 'data')
    const port = await freePort('127.0.0.1')
    const driver = spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        XDG_RUNTIME_DIR: folder,
        DISPLAY: `:${String(number).trim()}`,
      },
      stdio: 'ignore',
    })
    const send = await overHttp(`http://127.0.0.1:${port}`)
    const close = async () => {
      try {
        await send('deleteSession')
      } finally {
        for (const child of [driver, display]) await ended(child)
      }
    }
    return { page: webDriverPage(send, viewOf(send)), close }
  },
}

// Without this the window is as wide as the buttons of its toolbar.
async function allowNarrowWindows(home: string): Promise<void> {
  for (const version of ['gtk-3.0', 'gtk-4.0']) {
    const settings = join(home, '.config', version)
    await mkdir(settings, { recursive: true })
    await writeFile(join(settings, 'gtk.css'), '* { min-width: 0; margin: 0; padding: 0; font-size: 1px; }')
  }
}

function viewOf(send: Send): EnginePage['show'] {
  return async ({ width, height, zoom }) =>
    void (await send('resize', { width: width / zoom, height: height / zoom }))
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill()
  await exited
}

async function overHttp(url: string): Promise<Send> {
  let session = ''
  const send: Send = async (command, params = {}) => {
    const [method = '', path = ''] = COMMANDS[command].http.split(' ')
    const address = url + path.replace('{session}', session).replace('{id}', String(params['id']))
    const body = method === 'POST' ? { body: JSON.stringify(params) } : {}
    const response = await fetch(address, { method, ...body })
    const { value } = Object(await response.json())
    if (Object.hasOwn(Object(value), 'error')) throw new Error(`${value.error}: ${value.message}`)
    return value
  }
  await untilReady(url)
  const made = Object(
    await send('newSession', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } }),
  )
  session = String(made.sessionId)
  return send
}

async function untilReady(url: string): Promise<void> {
  const isReady = async () => (await fetch(`${url}/status`).catch(() => null))?.ok === true
  await until('an answer of WebKitWebDriver', isReady)
}
