import { PATIENCE_MS } from '../../plumbing/test/until.ts'
import { AXE, RUN_AXE } from '../app-page.ts'
import type { EnginePage } from './engine.ts'

/** An address (none: the current one), and a part of its page's heading. */
export type Place = readonly [path: string, heading: string]

/** Record errors of this document from now on, and load the accessibility rules into it. */
export async function watch(page: EnginePage): Promise<void> {
  await page.run(`
    window.complaints = []
    const complain = (text) => window.complaints.push(text)
    // Browsers report this when a list measures its rows twice in one frame. It is not a fault.
    addEventListener('error', ({ message }) => message.startsWith('ResizeObserver loop') || complain(message))
    addEventListener('unhandledrejection', ({ reason }) => complain(String(reason)))
    addEventListener('securitypolicyviolation', ({ violatedDirective }) => complain(violatedDirective))
    window.console.error = (...texts) => complain(texts.join(' '))`)
  await page.run(AXE)
}

/** Go to a page without leaving the document.
 * @param keepsRules whether to check it against the rules of accessibility
 * @returns what is wrong with it */
export async function faultsAt(
  page: EnginePage,
  [path, heading]: Place,
  keepsRules: boolean,
): Promise<string[]> {
  const go = path === '' ? '' : `history.pushState(null, '', ${JSON.stringify(path)})`
  const found = await page.run(`${go}
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    await drawn()
    const titles = () => [...document.querySelectorAll('h1')].map(({ textContent }) => textContent)
    const isThere = () =>
      titles().some((title) => title.includes(${JSON.stringify(heading)})) &&
      !document.querySelector('main').textContent.includes('Loading ')
    const deadline = performance.now() + ${PATIENCE_MS}
    while (!isThere() && performance.now() < deadline) await drawn()
    const arrived = isThere()
    // During a change of theme, text and background can belong to different themes. Hidden animations can run forever.
    const isChanging = ({ playState, effect }) => playState === 'running' && effect.target.checkVisibility()
    while (document.getAnimations().some(isChanging) && performance.now() < deadline) await drawn()
    const { scrollWidth, clientWidth } = document.documentElement
    const isOutside = (element) => element.getBoundingClientRect().right > clientWidth
    const outside = scrollWidth > clientWidth ? [...document.querySelectorAll('body *')].filter(isOutside) : []
    const { violations } = ${keepsRules ? `await ${RUN_AXE}` : '{ violations: [] }'}
    return [
      ...(arrived ? [] : ['not there: ' + document.body.innerText]),
      ...outside.slice(0, 3).map(({ outerHTML }) => 'too wide: ' + outerHTML.slice(0, 200)),
      ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)),
      ...window.complaints.splice(0),
    ]`)
  return Array.isArray(found) ? found.map(String) : [`the page answered ${JSON.stringify(found)}`]
}
