import { join } from 'node:path'
import { expect, test } from 'vitest'
import { referencePage } from '../../test/reference-page.ts'
import { commands } from '../commands/commands.ts'

test('docs/commands.md is what the table of commands says', async () => {
  const path = join(import.meta.dirname, '../../../docs/commands.md')
  await expect(referencePage(commands)).toMatchFileSnapshot(path)
})
