import type { Environment } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'

/** Where this program runs unattended, by the variables of the platform: `GitHub Actions acme/web@main`. Null: elsewhere. */
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
