import type { Environment, Parts, Values } from '../base/parts.ts'
import { printable } from '../base/printable.ts'

/** Where this program runs unattended, by the variables of the platform: `GitHub Actions acme/web@main`. Null:
 * elsewhere. */
export function jobName(env: Environment): string | null {
  if (env['GITHUB_ACTIONS'] === 'true' || env['ACTIONS_ID_TOKEN_REQUEST_URL']) {
    return placed('GitHub Actions', env['GITHUB_REPOSITORY'], env['GITHUB_REF_NAME'])
  }
  if (env['GITLAB_CI'] === 'true') {
    return placed('GitLab CI', env['CI_PROJECT_PATH'], env['CI_COMMIT_REF_NAME'])
  }
  return env['KUBERNETES_SERVICE_HOST'] ? 'Kubernetes' : null
}

function placed(platform: string, project = '', ref = ''): string {
  return `${platform} ${printable(project, 100)}@${printable(ref, 100)}`
}

/** In GitHub Actions, have each line of each value replaced in the log of the job. Values that a log shows all the
 * time, such as `1` or `yes`, are left alone. Source: docs.github.com, "Workflow commands", add-mask. */
export function maskInJobLog(values: Values, { env, stderr }: Pick<Parts, 'env' | 'stderr'>): void {
  if (env['GITHUB_ACTIONS'] !== 'true') return
  const lines = [...values.values()].flatMap((value) => value.split(/\r\n|[\r\n]/))
  for (const line of new Set(lines)) {
    if (line.trim().length >= SHORTEST_MASKED) stderr.write(`::add-mask::${line.replaceAll('%', '%25')}\n`)
  }
}

const SHORTEST_MASKED = 4
