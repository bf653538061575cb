import type { Locator, Page } from 'playwright-core'

/** Which word of which sentence of the page of rules. */
export type RuleWord = { label: string; place: string }

const exact = (text: string) => text.replaceAll(/[/.*+?()]/g, String.raw`\$&`)

/** A word of the rules of a place; `says`: what it says. */
export function ruleWord(page: Page, { label, place }: RuleWord, says = ''): Locator {
  return page.getByRole('button', { name: new RegExp(`^${exact(label)}, ${exact(place)}: ${exact(says)}`) })
}

/** Choose another word: two presses. */
export async function chooseRule(page: Page, word: RuleWord, choice: string): Promise<void> {
  await ruleWord(page, word).click()
  await page.getByRole('menuitemradio', { name: new RegExp(`^${exact(choice)}`) }).click()
}

/** Confirm that a rule gets looser. */
export async function confirmLooser(page: Page): Promise<void> {
  const group = page.getByRole('group', { name: 'Loosen this rule?' })
  await group.getByRole('button', { name: 'Loosen the rule' }).click()
  await group.waitFor({ state: 'detached' })
}
