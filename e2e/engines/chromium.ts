import { PATIENCE_MS } from '../../plumbing/test/until.ts'
import { EXECUTABLE, launchBrowser } from '../browser.ts'
import type { Engine, EnginePage } from './engine.ts'

export const CHROMIUM: Engine = {
  name: 'Chromium',
  programs: { chromium: EXECUTABLE },
  media: ['dark', 'forced colours', 'reduced motion'],
  start: async ({ publicPort }) => {
    const browser = await launchBrowser({
      executablePath: EXECUTABLE,
      flags: [`--ip-address-space-overrides=127.0.0.1:${publicPort}=public`],
    })
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const at = (xpath: string) => page.locator(`xpath=${xpath}`)
    const driven: EnginePage = {
      goto: async (address) => void (await page.goto(address)),
      address: async () => page.url(),
      text: async (xpath) => await at(xpath).innerText(),
      click: async (xpath) => await at(xpath).click(),
      type: async (xpath, text) => await at(xpath).pressSequentially(text),
      movePointer: async (x, y) => await page.mouse.move(x, y),
      run: async (body) => await page.evaluate(`(async () => {${body}})()`),
      show: async ({ width, height, zoom, media }) => {
        await page.setViewportSize({ width: width / zoom, height: height / zoom })
        await page.emulateMedia({
          colorScheme: media === 'dark' ? 'dark' : 'light',
          forcedColors: media === 'forced colours' ? 'active' : 'none',
          reducedMotion: media === 'reduced motion' ? 'reduce' : 'no-preference',
        })
      },
    }
    return { page: driven, close: async () => await browser.close() }
  },
}
