// `npm run check:size`: fails when the product has more lines or letters than size.json allows.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import limits from '../size.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '..')
const PRODUCT = '{api,cli,contract,crypto,plumbing,release,server,site,web}/**/*.{ts,tsx}'
const OTHERS = /\.(test|contract)\.|(^|\/)(node_modules|dist|test|\.vitepress\/cache)\//

const texts = globSync(PRODUCT, { cwd: ROOT })
  .filter((file) => !OTHERS.test(file))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
const size = {
  lines: texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0),
  letters: texts.reduce((sum, text) => sum + text.length, 0),
}
process.stdout.write(`The product has ${size.lines} lines and ${size.letters} letters.\n`)
if (size.lines > limits.lines || size.letters > limits.letters) {
  process.stderr.write(
    `That is more than size.json allows: ${limits.lines} lines and ${limits.letters} letters. Take something away.\n`,
  )
  process.exitCode = 1
}
