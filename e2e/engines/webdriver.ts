import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from '../../plumbing/test/until.ts'
import type { EnginePage } from './engine.ts'

const LOOK_EVERY_MS = 20

/** The commands of WebDriver that the tests use: method and path over HTTP, and Firefox's own name.
 * @see https://www.w3.org/TR/webdriver2/#endpoints */
export const COMMANDS = {
  newSession: { http: 'POST /session', firefox: 'WebDriver:NewSession' },
  deleteSession: { http: 'DELETE /session/{session}', firefox: 'WebDriver:DeleteSession' },
  navigate: { http: 'POST /session/{session}/url', firefox: 'WebDriver:Navigate' },
  address: { http: 'GET /session/{session}/url', firefox: 'WebDriver:GetCurrentURL' },
  find: { http: 'POST /session/{session}/element', firefox: 'WebDriver:FindElement' },
  text: { http: 'GET /session/{session}/element/{id}/text', firefox: 'WebDriver:GetElementText' },
  click: { http: 'POST /session/{session}/element/{id}/click', firefox: 'WebDriver:ElementClick' },
  type: { http: 'POST /session/{session}/element/{id}/value', firefox: 'WebDriver:ElementSendKeys' },
  run: { http: 'POST /session/{session}/execute/sync', firefox: 'WebDriver:ExecuteScript' },
  resize: { http: 'POST /session/{session}/window/rect', firefox: 'WebDriver:SetWindowRect' },
  act: { http: 'POST /session/{session}/actions', firefox: 'WebDriver:PerformActions' },
} as const

export type Command = keyof typeof COMMANDS
export type Params = Readonly<Record<string, unknown>>

/** Send a command to an engine. @throws Error with the engine's words */
export type Send = (command: Command, params?: Params) => Promise<unknown>

/** The page of a session, whose engine shows a view with `show`. */
export function webDriverPage(send: Send, show: EnginePage['show']): EnginePage {
  const find = async (xpath: string) => {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      try {
        const [id] = Object.values(Object(await send('find', { using: 'xpath', value: xpath })))
        return String(id)
      } catch (error) {
        // Between two pages WebKit has none, which is another failure than a missing element.
        if (Date.now() > deadline) throw new Error(`${xpath} does not appear`, { cause: error })
      }
      await sleep(LOOK_EVERY_MS)
    }
  }
  return {
    goto: async (url) => void (await send('navigate', { url })),
    address: async () => String(await send('address')),
    text: async (xpath) => String(await send('text', { id: await find(xpath) })),
    click: async (xpath) => {
      const id = await find(xpath)
      await send('click', { id }).catch(unlessNothingLoads)
    },
    type: async (xpath, text) => void (await send('type', { id: await find(xpath), text })),
    movePointer: async (x, y) => {
      const move = { type: 'pointerMove', x, y, duration: 0 }
      await send('act', { actions: [{ type: 'pointer', id: 'mouse', actions: [move] }] })
    },
    // Without this, Firefox runs scripts in a separate sandbox.
    run: (body) => send('run', { script: `return (async () => {${body}})()`, args: [], sandbox: null }),
    show,
  }
}

// Firefox waits for the page that a click leads to, and fails if it cannot load it.
function unlessNothingLoads(error: Error): void {
  if (!error.message.includes('Reached error page')) throw error
}
