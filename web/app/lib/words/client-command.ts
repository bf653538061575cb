const WITHOUT_SAYING = ['http://127.0.0.1:5393', 'http://localhost:5393']

/** The line that installs the client as this server has it, for the shell of this person's system. */
export function installCommand(): string {
  const { origin } = location
  const isWindows = navigator.userAgent.includes('Windows')
  return isWindows ? `irm ${origin}/install.ps1 | iex` : `curl -fsS ${origin}/install.sh | sh`
}

/** The line that imports a file, as it works on this person's machine: it names the server unless that is the one that
 * the client asks by itself.
 * @param workspaceId null: the one that the server chooses */
export function importCommand(bundleName: string, workspaceId: string | null = null): string {
  const workspace = workspaceId === null ? '' : ` --workspace ${workspaceId}`
  return `keyferry import .env --bundle ${bundleName}${workspace}${serverFlag()}`
}

/** The line that starts a program with a bundle's keys. */
export function runCommand(bundleName: string): string {
  return `keyferry run ${bundleName}${serverFlag()} -- npm run dev`
}

/** The line that stores a value, or proposes it where the person may not. */
export function setCommand(bundleName: string, variable: string): string {
  return `keyferry set ${variable} --bundle ${bundleName}${serverFlag()}`
}

function serverFlag(): string {
  const { origin } = location
  return WITHOUT_SAYING.includes(origin) ? '' : ` --server ${origin}`
}
