import { EXIT } from '../base/cli-error.ts'
import { type Command, flagOf } from '../command-line/command.ts'
import { readBundleOperand, SERVER_FLAG, serverHere } from '../flags/library-flags.ts'
import { whyNoBrowser } from '../terminal/browser.ts'

export const openCommand: Command = {
  name: 'open',
  operands: '[BUNDLE]',
  summary: 'Open the web page of the server, or of a bundle',
  details: ['Prints the address too, for machines without a browser.'],
  flags: [SERVER_FLAG, flagOf('--no-open', 'Print the address without opening the browser')],
  examples: {
    'keyferry open dev/app': 'Open the page of the bundle dev/app',
  },
  run: async (words, parts) => {
    const bundle = readBundleOperand(words)
    const server = await serverHere(words, parts)
    const address = bundle === null ? server : `${server}/bundles?open=${bundle}`
    parts.stdout.write(`${address}\n`)
    if (!words.has('no-open') && whyNoBrowser(parts.env, parts.platform) === null) parts.openBrowser(address)
    return EXIT.ok
  },
}
