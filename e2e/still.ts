import type { Page, Route } from 'playwright-core'

const CONTROLS = 'a[href], button, input, select, textarea, summary'
const MOST_PX = 2

/** A script that notes in each frame which controls have moved since they were first drawn. A control of a bar that
 * does not scroll keeps its place in the window, any other its place on the page. */
export const WATCH_CONTROLS = `
  window.controls = new Map()
  window.moved = []
  window.lookAtControls = () => {
    const { controls, moved, scrollX, scrollY } = window
    for (const [name, { element }] of controls) if (!element.isConnected) controls.get(name).isGone = true
    for (const element of document.querySelectorAll('${CONTROLS}')) {
      const { x, y, width } = element.getBoundingClientRect()
      if (width <= 1 || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
      const words = (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent).trim()
      let name = element.localName + ' ' + words.slice(0, 60)
      // One of several controls with the same words is found again only as the same element.
      for (let count = 2; controls.has(name) && controls.get(name).element !== element; count += 1) {
        if (controls.get(name).isGone) break
        name = name.replace(/( #\\d+)?$/, ' #' + count)
      }
      const known = controls.get(name)
      const place = { x, y, pageX: x + scrollX, pageY: y + scrollY, element }
      if (known !== undefined) {
        const dx = Math.min(Math.abs(x - known.x), Math.abs(place.pageX - known.pageX))
        const dy = Math.min(Math.abs(y - known.y), Math.abs(place.pageY - known.pageY))
        if (dx > ${MOST_PX} || dy > ${MOST_PX})
          moved.push(name + ': ' + Math.round(place.pageX - known.pageX) + ', ' + Math.round(place.pageY - known.pageY))
      }
      controls.set(name, place)
    }
  }
  const look = () => {
    lookAtControls()
    requestAnimationFrame(look)
  }
  addEventListener('DOMContentLoaded', () => {
    requestAnimationFrame(look)
  })
`

/** What has moved since the last question. */
export async function movedControls(page: Page): Promise<readonly string[]> {
  await drawn(page)
  return await page.evaluate<string[]>('lookAtControls(); window.moved.splice(0)')
}

/** The person acted: from now on, controls are watched where they are now. */
export async function watchAnew(page: Page): Promise<void> {
  await drawn(page)
  await page.evaluate('window.controls.clear(); window.moved.splice(0)')
}

async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
}

/** Let the answers of the server come one after another, so that the page draws each of them.
 * @returns waits until none is missing */
export async function answerOneByOne(page: Page): Promise<() => Promise<void>> {
  let turn: Promise<unknown> = Promise.resolve()
  const answer = async (route: Route) => {
    const response = await route.fetch().catch(() => null)
    if (response === null) return await route.abort().catch(() => undefined)
    await route.fulfill({ response }).catch(() => undefined)
    await drawn(page).catch(() => undefined)
  }
  await page.route('**/api/**', (route) => {
    const before = turn
    turn = before.then(() => answer(route))
  })
  return async () => {
    for (let last: unknown; last !== turn; await drawn(page)) {
      last = turn
      await last
    }
  }
}

/** Where the controls are now, by what they say; those whose words several have are left out. */
export async function placesOfControls(page: Page): Promise<Readonly<Record<string, string>>> {
  await drawn(page)
  return await page.evaluate<Record<string, string>>(`(() => {
    lookAtControls()
    const placed = [...window.controls].filter(([name, { element }]) => element.isConnected && !/#\\d+$/.test(name))
    return Object.fromEntries(placed.map(([name, { pageX, pageY }]) => [name, Math.round(pageX) + ', ' + Math.round(pageY)]))
  })()`)
}

/** The controls that lie under messages over the page. */
export async function coveredControls(page: Page): Promise<readonly string[]> {
  await drawn(page)
  return await page.evaluate<string[]>(`(() => {
    lookAtControls()
    const boxes = [...document.querySelectorAll('[role=status].fixed')]
    const cards = boxes.flatMap((box) => [...box.children]).map((card) => card.getBoundingClientRect())
    const isUnder = (at) => (card) =>
      card.left < at.right && at.left < card.right && card.top < at.bottom && at.top < card.bottom
    return [...window.controls].flatMap(([name, { element }]) => {
      const isOwn = boxes.some((box) => box.contains(element))
      return element.isConnected && !isOwn && cards.some(isUnder(element.getBoundingClientRect())) ? [name] : []
    })
  })()`)
}
