import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireShell } from '../../../e2e/real-shells.ts'
import { hasPrograms } from '../../../plumbing/test/programs.ts'
import { PATIENCE_MS } from '../../../plumbing/test/until.ts'
import { whyDangerous } from './dangerous-names.ts'
import { FORMATS } from './formats.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-names-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const OPTIONS = { bash: ['--noprofile', '--norc', '-i'], zsh: ['-f', '-i'] }
// What many people's start-up files do.
const BEFORE = { bash: '', zsh: 'setopt prompt_subst; zmodload zsh/watch' }

/** Whether an interactive shell that evaluates what `pull` would write runs the command in the value. */
function runsValue(shell: keyof typeof OPTIONS, name: string, hostile: (command: string) => string): boolean {
  const [ran, text] = [join(folder, 'ran'), join(folder, 'pulled.sh')]
  rmSync(ran, { force: true })
  writeFileSync(text, FORMATS.sh.write(new Map([[name, hostile(`: > ${ran}`)]])))
  const input = `${BEFORE[shell]}\neval "$(cat ${text})"\n:\necho "\n"\nexit\n`
  spawnSync(shell, OPTIONS[shell], { input, timeout: PATIENCE_MS })
  return existsSync(ran)
}

const substitution = (command: string) => `$(${command})`
// An array that every zsh and bash has; others are not looked into.
const arithmetic = { bash: 'BASH_VERSINFO', zsh: 'path' }

describe.each(['bash', 'zsh'] as const)('an interactive %s', (shell) => {
  test('runs what its prompt contains', ({ skip }) => {
    requireShell(shell, skip)
    expect(runsValue(shell, 'PS1', substitution)).toBe(true)
  })

  test.for(['PS0', 'PS1', 'PS2', 'PROMPT', 'RPROMPT', 'PROMPT_COMMAND'])(
    'runs nothing out of %s, unless the client refuses that name',
    (name, { skip }) => {
      requireShell(shell, skip)
      expect(whyDangerous(name) !== null || !runsValue(shell, name, substitution)).toBe(true)
    },
  )

  test.for(['ERRNO', 'HISTCMD', 'LOGCHECK', 'OPTIND', 'RANDOM', 'SECONDS', 'SRANDOM', 'TMOUT', 'UID'])(
    'evaluates no arithmetic in %s, unless the format refuses it',
    (name, { skip }) => {
      requireShell(shell, skip)
      const hostile = (command: string) => `${arithmetic[shell]}[$(${command})]`
      expect(FORMATS.sh.whyNot(name, hostile(':')) !== null || !runsValue(shell, name, hostile)).toBe(true)
    },
  )
})

test.each([
  'FPATH',
  'MODULE_PATH',
  'MAILPATH',
  'PYTHONPATH',
  'NODE_PATH',
  'GIT_PAGER',
  'GCONV_PATH',
  'fpath',
])('%s is dangerous: code is loaded from where it points, or it is run', (name) =>
  expect(whyDangerous(name)).not.toBeNull(),
)

// Names with which a program can be made to run code, to trust another server, or to send its traffic there.
const CARRIERS = `
  LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS BASH_ENV ENV PROMPT_COMMAND PYTHONSTARTUP
  PYTHONWARNINGS BROWSER PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS
  npm_config_node_options npm_config_script_shell TAR_OPTIONS PAGER MANPAGER LESSOPEN EDITOR VISUAL GIT_SSH_COMMAND
  GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT MAKEFLAGS MFLAGS HTTP_PROXY https_proxy ALL_PROXY NODE_TLS_REJECT_UNAUTHORIZED
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE HOME XDG_CONFIG_HOME PATH IFS SHELL fish_function_path PYTEST_ADDOPTS
  GUNICORN_CMD_ARGS MPLBACKEND BIOME_BINARY NAPI_RS_NATIVE_LIBRARY_PATH PRISMA_QUERY_ENGINE_LIBRARY TS_NODE_COMPILER
  SBT_OPTS PSModulePath COMPlus_GCName AWKLIBPATH RUSTUP_TOOLCHAIN SSH_SK_HELPER RIPGREP_CONFIG_PATH GNUPGHOME VIM
  FCEDIT GTK_MODULES ANSIBLE_LIBRARY TF_CLI_ARGS CLOUDSDK_PYTHON AWS_CONFIG_FILE ODBCSYSINI LIBMYSQL_PLUGINS
  KUBE_EDITOR HGEDITOR KUBECTL_EXTERNAL_DIFF IBM_JAVA_OPTIONS OPENJ9_JAVA_OPTIONS JAVA_OPTIONS GOCACHEPROG GOAUTH
  COMPOSE_FILE KEYFERRY_SERVER KEYFERRY_TOKEN_FILE LDLIBS LOADLIBES RFLAGS YFLAGS
  RSYNC_CONNECT_PROG DBUS_SESSION_BUS_ADDRESS ES_JAVA_OPTS HADOOP_CLIENT_OPTS HADOOP_CLASSPATH R_LIBS_USER MIX_EXS
  ASPNETCORE_HOSTINGSTARTUPASSEMBLIES QT_QPA_PLATFORM_PLUGIN_PATH QML2_IMPORT_PATH GDK_PIXBUF_MODULE_FILE GST_PLUGIN_PATH
  GTK3_MODULES VK_ICD_FILENAMES VK_ADD_LAYER_PATH LIBGL_DRIVERS_PATH CUDA_INJECTION64_PATH GHC_PACKAGE_PATH OCAMLPATH
  CAML_LD_LIBRARY_PATH LUAROCKS_CONFIG TERRAFORM_CONFIG PACKER_PLUGIN_PATH VAGRANT_CWD AZURE_EXTENSION_DIR
  MAVEN_DEBUG_OPTS MAVEN_DEBUG_ADDRESS JAVA_OPTS JAVA_OPTS_APPEND PREPEND_JAVA_OPTS LS_JAVA_OPTS SPARK_DAEMON_JAVA_OPTS JMX_PORT
  GRADLE_USER_HOME MVNW_REPOURL JAVACMD CATALINA_BASE SPARK_CONF_DIR PYSPARK_PYTHON PYSPARK_DRIVER_PYTHON
  OMPI_MCA_plm_rsh_agent PRTE_MCA_plm_ssh_agent PMIX_MCA_mca_base_component_path HYDRA_LAUNCHER_EXEC OMP_TOOL_LIBRARIES
  NCCL_NET_PLUGIN GS_OPTIONS GS_LIB MAGICK_CONFIGURE_PATH MAGICK_CODER_MODULE_PATH GDAL_DRIVER_PATH OGR_DRIVER_PATH
  GDAL_PYTHON_DRIVER_PATH SASL_PATH AWS_SHARED_CREDENTIALS_FILE BOTO_CONFIG GOWORK GOPATH XDEBUG_CONFIG LADSPA_PATH
  NUGET_NETCORE_PLUGIN_PATHS DOTNET_DiagnosticPorts CONTAINERS_CONF CHROME_BIN
`
  .trim()
  .split(/\s+/)

test.each(CARRIERS)('%s is refused', (name) => expect(whyDangerous(name)).not.toBeNull())

test.runIf(hasPrograms('make'))('the default variables of make are refused', () => {
  const { stdout } = spawnSync('make', ['-pf', '/dev/null'], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  })
  const names = [...stdout.matchAll(/^# default\n([A-Z]\w*) :?=/gm)].map(([, name = '']) => name)
  expect(names).toContain('RM')
  expect(names.filter((name) => whyDangerous(name) === null)).toEqual([])
})

test.each([
  'PORT',
  'VK_API_TOKEN',
  'MIX_PUSHER_APP_KEY',
  'PACKER_GITHUB_API_TOKEN',
  'VAGRANT_CLOUD_TOKEN',
  'MAKER_ID',
  'COMPOSE_PROJECT_NAME',
  'DATABASE_URL',
  'PATHS',
  'GIT_AUTHOR_NAME',
  'PROMPT_TEXT',
  'LDAP_URL',
  'AWS_REGION',
  'REDIS_OPTS',
  'NUGET_API_KEY',
  'ORG_GRADLE_PROJECT_signingKey',
  'MAVEN_PASSWORD',
  'GDAL_HTTP_USERPWD',
  'OMP_NUM_THREADS',
  'AWS_SECRET_ACCESS_KEY',
  'SPARK_MASTER',
  'KAFKA_BROKERS',
  'SASL_PASSWORD',
  'HYDRA_ADMIN_URL',
  'SENDGRID_HOME_URL',
  '',
])('%j is not dangerous', (name) => expect(whyDangerous(name)).toBeNull())
