import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from '../base/cli-error.ts'

const POLL_MS = 100

type Process = { readonly pid: number; readonly parent: number; readonly group: number }

/** Send SIGTERM to a process, its descendants, and its process group if it leads one. Then wait until they are gone. A
 * process that detached itself before is not found.
 * @param graceMs after this time they are killed
 * @returns whether they had to be killed */
export async function endTree(root: number, graceMs: number): Promise<'ended' | 'killed'> {
  const deadline = performance.now() + graceMs
  let pids = treeOf(new Set([root]))
  for (const pid of pids) kill(pid, 'SIGTERM')
  while (pids.size > 0 && performance.now() < deadline) {
    await sleep(Math.min(POLL_MS, deadline - performance.now()))
    pids = treeOf(new Set([root, ...pids]))
  }
  for (const pid of pids) kill(pid, 'SIGKILL')
  return pids.size === 0 ? 'ended' : 'killed'
}

/** The processes of a tree that run: those of `roots`, and their children and groups. Orphans stay in it. */
function treeOf(roots: ReadonlySet<number>): Set<number> {
  const tree = new Set<number>()
  const all = runningProcesses()
  const isInTree = ({ pid, parent, group }: Process): boolean =>
    [pid, group].some((id) => roots.has(id)) || tree.has(parent) || roots.has(parent)
  for (let size = -1; size < tree.size; ) {
    size = tree.size
    for (const each of all) if (isInTree(each)) tree.add(each.pid)
  }
  return tree
}

// A zombie has no port and no file, and in some containers nobody removes it.
function runningProcesses(): readonly Process[] {
  return process.platform === 'linux' ? inProc() : listedByPs()
}

function inProc(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      // The name of the program, in brackets, may contain anything.
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [state = '', parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ')
      return 'ZX'.includes(state) ? [] : [{ pid: Number(name), parent: Number(parent), group: Number(group) }]
    } catch {
      return [] // it has just ended
    }
  })
}

function listedByPs(): Process[] {
  const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' })
  return list.split('\n').flatMap((line) => {
    const [pid, parent, group, state = 'Z'] = line.trim().split(/\s+/)
    return state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), group: Number(group) }]
  })
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}
