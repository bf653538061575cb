import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PROGRAM = join(import.meta.dirname, '../node_modules/gitlab-ci-local/dist/index.js')
const GIT = ['-c', 'user.name=ci', '-c', 'user.email=ci@example.com']

type GitlabJob = {
  /** A folder with `example.gitlab-ci.yml`; it is copied. */
  readonly template: string
  readonly folder: string
  readonly job: string
  /** Its programs: name and shell script. */
  readonly programs: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  /** CI/CD variables. */
  readonly variables: Readonly<Record<string, string>>
}

/** Run a job with `gitlab-ci-local`, which checks the file against GitLab's schema, in a shell of this machine. */
export async function runGitlabJob(wanted: GitlabJob): Promise<{ exitCode: number | null; log: string }> {
  const words = Object.entries(wanted.variables).flatMap(([name, value]) => [
    '--variable',
    `${name}=${value}`,
  ])
  const child = spawn(process.execPath, [PROGRAM, wanted.job, '--force-shell-executor', ...words], {
    cwd: newProject(wanted),
    env: { ...wanted.env, PATH: `${toolFolder(wanted.folder)}:${wanted.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk
    })
  }
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { exitCode, log }
}

function newProject({ template, folder, programs }: GitlabJob): string {
  const project = mkdtempSync(join(folder, 'gitlab-'))
  cpSync(template, project, { recursive: true })
  renameSync(join(project, 'example.gitlab-ci.yml'), join(project, '.gitlab-ci.yml'))
  for (const [name, script] of Object.entries(programs)) writeProgram(join(project, name), script)
  execFileSync('git', ['init', '-q', '-b', 'main', project])
  execFileSync('git', ['-C', project, 'remote', 'add', 'origin', 'git@gitlab.com:my-group/my-project.git'])
  execFileSync('git', ['-C', project, 'add', '.'])
  execFileSync('git', ['-C', project, ...GIT, 'commit', '-q', '-m', 'all'])
  return project
}

// rsync copies the project for jobs in containers, which these are not. It would be one more program to install.
function toolFolder(folder: string): string {
  const tools = join(folder, 'tools')
  mkdirSync(tools, { recursive: true })
  writeProgram(join(tools, 'rsync'), '')
  return tools
}

function writeProgram(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}
