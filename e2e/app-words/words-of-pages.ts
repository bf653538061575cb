import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { openPage } from '../app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from '../browser.ts'
import { WORLDS } from '../screenshot-list.ts'

const isUpdate = process.env['UPDATE_WORDS'] !== undefined
const SETTLED_MS = 500

/** Texts that change with each run, and their replacements in the files. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID'],
  [/(127\.0\.0\.1|localhost):\d+/g, 'SERVER'],
  [/(198\.51|203\.0)(\.\d+){2}/g, 'ADDRESS'],
  [/\b[\da-f]{32}\b/g, 'ID'],
  [/(?=[\w+/-]*\d)(?=[\w+/-]*[A-Z])[\w+/-]{30,}=*/g, 'TOKEN'],
  [/…[\w-]{4}\b/g, '…MARK'],
  [/\d{10,}@/g, 'N@'],
  [/\d{4}-\d\d-\d\d/g, 'DATE'],
  [
    /((Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, )?\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d+(, \d{4})?/g,
    'DATE',
  ],
  [/\d+:\d\d(:\d\d)?(\.\d+Z)?/g, 'TIME'],
  [/\d+ ms\b/g, 'TIME'],
  [/\d+ calls, the last /g, ''],
  // A webhook whose receiver is gone by now, or not yet.
  [/The last \d+ calls failed/g, 'The last call failed'],
  [/answered 500|no connection/g, 'FAILED'],
  [/in a moment/g, 'TIME'],
  [/: \d{3} \d{3}$/gm, ': CODE'],
  // For a moment, so that nobody presses a button before they have read.
  [/ \[disabled\]/g, ''],
  [/\b[A-Z]{4}-[A-Z]{4}\b/g, 'CODE'],
  [/(just )?\bnow\b|(in )?\d+ (second|minute|hour|day|week|month)s?( ago)?|yesterday|tomorrow/g, 'TIME'],
  [/DATE( DATE)+/g, 'DATES'],
  // Of a bar of a day.
  [/(?<=refused"': )"\d+"$/gm, 'DAY'],
  // Said once for all variables if they are equally old.
  [/(?<=all )changed TIME by local, | · changed TIME by local/g, ''],
  [/\btoken [\w-]{4}(?=")/g, 'token MARK'],
]

/** Test what a screen reader reads in each state of these worlds (those of the screenshots): the words, the names of
 * buttons, the order of lists, the addresses of links. Of each state, a world's file in `folder` has the lines that no
 * state before it has. After an intended change, run the test with UPDATE_WORDS=1 and read the difference. */
export function testWordsOf(folder: string, worlds: readonly (keyof typeof WORLDS)[]): void {
  afterEach(async () => await closePages(await sharedBrowser()))

  describe.skipIf(!hasBrowser())('the words of the pages', () => {
    test.each(worlds)('%s', async (name) => {
      const file = join(import.meta.dirname, folder, `${name}.txt`)
      const recorded = statesIn(existsSync(file) ? readFileSync(file, 'utf8') : '')
      const seen = new Set<string>()
      const texts: string[] = []
      const { list, servers } = await WORLDS[name]()
      try {
        for (const state of list) {
          const page = await openPage(await sharedBrowser(), { reducedMotion: 'reduce' })
          await state.show(page)
          const newWords = async () => (await linesOf(page)).filter((line) => !seen.has(line)).join('\n')
          if (isUpdate) await settle(page)
          else await expect.poll(newWords, { message: state.name }).toBe(recorded.get(state.name))
          const words = await newWords()
          texts.push(`# ${state.name}\n${words}\n`)
          for (const line of words.split('\n')) seen.add(line)
          await page.context().close()
        }
      } finally {
        await Promise.all(servers.map((server) => server.dispose()))
      }
      if (isUpdate) writeFileSync(file, texts.join('\n'))
      else expect(texts).toHaveLength(recorded.size)
    })
  })
}

async function linesOf(page: Page): Promise<string[]> {
  const text = await page.locator('body').ariaSnapshot()
  return [
    ...new Set(CHANGING.reduce((changed, [some, word]) => changed.replaceAll(some, word), text).split('\n')),
  ]
}

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(SETTLED_MS)
}

function statesIn(text: string): Map<string, string> {
  const states = text.split(/^# /m).slice(1)
  return new Map(
    states.map((state) => [
      state.slice(0, state.indexOf('\n')),
      state.slice(state.indexOf('\n') + 1).trimEnd(),
    ]),
  )
}
