import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { until } from '../../plumbing/test/until.ts'
import type { Engine, EnginePage } from './engine.ts'
import { COMMANDS, type Command, type Params, webDriverPage } from './webdriver.ts'

const COLON = 0x3a

/** Firefox, over Marionette: its door for WebDriver commands, which geckodriver uses too. */
export const FIREFOX: Engine = {
  name: 'Firefox',
  programs: { 'firefox-esr': 'firefox-esr' },
  media: ['dark', 'forced colours', 'reduced motion'],
  start: async ({ folder, publicPort }) => {
    const profile = join(folder, 'firefox')
    await mkdir(profile)
    await writeFile(join(profile, 'user.js'), preferences(publicPort))
    const child = spawn(
      'firefox-esr',
      ['--marionette', '--headless', '--no-remote', '--remote-allow-system-access', '--profile', profile],
      {
        env: { PATH: process.env['PATH'], HOME: profile },
        stdio: 'ignore',
      },
    )
    const socket = connect(await portOf(profile), '127.0.0.1')
    const send = marionette(socket)
    await send('newSession', { acceptInsecureCerts: true })
    const close = async () => {
      const exited = once(child, 'exit')
      child.kill()
      await exited
      socket.destroy()
    }
    return { page: webDriverPage(send, zoomedView(send)), close }
  },
}

// No window is narrower than 500 pixels, so a narrow one is twice as wide, and zoomed.
const NARROWEST = 500

function zoomedView(send: SendToFirefox): EnginePage['show'] {
  return async ({ width, height, zoom, media }) => {
    const scale = width < NARROWEST ? 2 : 1
    await send('resize', { width: width * scale, height: height * scale })
    await send('context', { value: 'chrome' })
    const settings = {
      'ui.systemUsesDarkTheme': media === 'dark' ? 1 : 0,
      'browser.display.document_color_use': media === 'forced colours' ? 2 : 0,
      'ui.prefersReducedMotion': media === 'reduced motion' ? 1 : 0,
    }
    const script = `gBrowser.selectedBrowser.fullZoom = arguments[0]
      for (const [name, value] of Object.entries(arguments[1])) Services.prefs.setIntPref(name, value)`
    await send('run', { script, args: [zoom * scale, settings] })
    await send('context', { value: 'content' })
  }
}

// Firefox rolls its check of local addresses out in steps, and automation turns the warning of insecure forms off: both
// must be on here, as on a person's computer.
function preferences(publicPort: number): string {
  const values = {
    'marionette.port': 0,
    'network.lna.enabled': true,
    'network.lna.blocking': true,
    'network.lna.address_space.public.override': `127.0.0.1:${publicPort}`,
    'security.warn_submit_secure_to_insecure': true,
  }
  return Object.entries(values)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('')
}

async function portOf(profile: string): Promise<number> {
  const port = async () =>
    Number(await readFile(join(profile, 'MarionetteActivePort'), 'utf8').catch(() => ''))
  return await until('the port of Firefox', port)
}

// `context` directs the next commands to the browser's own window, which sets the zoom, or back to the page.
type SendToFirefox = (command: Command | 'context', params?: Params) => Promise<unknown>

type Pending = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }

// Each message is its length, a colon and JSON: [0, id, command, params] there, [1, id, error, result] back.
function marionette(socket: Socket): SendToFirefox {
  const pending = new Map<number, Pending>()
  let received = Buffer.alloc(0)
  let last = 0
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const colon = received.indexOf(COLON)
      const end = colon + 1 + Number(received.subarray(0, Math.max(colon, 0)).toString())
      if (colon < 0 || received.length < end) return
      settle(JSON.parse(received.subarray(colon + 1, end).toString()), pending)
      received = received.subarray(end)
    }
  })
  socket.on('close', () => {
    for (const { reject } of pending.values()) reject(new Error('Firefox closed the connection'))
  })
  return (command, params = {}) =>
    new Promise((resolve, reject) => {
      last += 1
      pending.set(last, { resolve, reject })
      const name = command === 'context' ? 'Marionette:SetContext' : COMMANDS[command].firefox
      const message = JSON.stringify([0, last, name, params])
      socket.write(`${Buffer.byteLength(message)}:${message}`)
    })
}

function settle(message: unknown, pending: Map<number, Pending>): void {
  if (!Array.isArray(message)) return // the greeting
  const [, id, error, result] = message
  const call = pending.get(id)
  pending.delete(id)
  if (error !== null) call?.reject(new Error(`${error.error}: ${error.message}`))
  else call?.resolve(Object.hasOwn(result, 'value') ? result.value : result)
}
