// Runs a program on the Node.js that the project needs: `node launch.cjs FILE [ARGUMENT…]`. Every npm script starts
// here, so this file runs on the Node.js of the user: it must stay readable for Node.js 12.
const { spawn, spawnSync } = require('child_process')
const fs = require('fs')
const path = require('path')
const tty = require('tty')
const { optionalDependencies } = require('./package.json')

const NEEDED = 24
const MODULES = path.join(__dirname, 'node_modules')

/** The Node.js programs that `npm ci` installed. Most versions of npm do not link them in node_modules/.bin. */
const installed = () =>
  Object.keys(optionalDependencies)
    .map((name) => path.join(MODULES, name, 'package.json'))
    .filter((file) => fs.existsSync(file))
    .map((file) => path.join(path.dirname(file), require(file).bin.node))

// A program that is installed may not run here: on Alpine Linux, or with a glibc that is too old.
function isUsable(program) {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return status === 0 && Number(stdout.slice(1).split('.')[0]) >= NEEDED
}

function refuse() {
  const here = `npm installed none that runs on ${process.platform} ${process.arch}, and yours is ${process.version}`
  const advice = fs.existsSync(MODULES)
    ? `Install Node.js ${NEEDED} or newer (https://nodejs.org): ${here}.`
    : 'Run `npm ci` first: it installs Node.js and the packages that this project needs.'
  process.stderr.write(`${advice}\n`)
  process.exit(1)
}

/** Run Node.js with these arguments, and end as it ends. Programs that it starts find the same Node.js in their PATH. */
function launch(args) {
  const program = fs.existsSync(MODULES) && [...installed(), process.execPath].find(isUsable)
  if (!program) refuse()
  // An empty entry would mean the current folder.
  process.env.PATH = [path.dirname(program), process.env.PATH].filter(Boolean).join(path.delimiter)
  const child = spawn(program, args, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => pass(signal, child))
  child.on('error', (error) => {
    throw error
  })
  child.on('exit', (code, signal) => {
    if (signal) process.removeAllListeners(signal)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code)
  })
}

// Ctrl-C reaches every program of the terminal. A server that gets it twice would stop without finishing its calls.
function pass(signal, child) {
  if (signal !== 'SIGINT' || ![0, 1, 2].some((stream) => tty.isatty(stream))) child.kill(signal)
}

module.exports = launch
if (require.main === module) launch(process.argv.slice(2))
