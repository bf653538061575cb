/** Names by which a variable changes what programs run, load, trust or reach, and why. */
export type NameFamily = {
  /** The end of a sentence that begins with the name. */
  readonly reason: string
  /** Names in upper case, and regular expressions for whole names: Windows ignores case, and zsh ties `path` to
   * `PATH`. */
  readonly names: readonly string[]
}

/** A name itself counts before an expression that matches it, and an earlier family before a later one. */
export const NAME_FAMILIES = {
  linker: {
    reason: 'makes the system load libraries into programs',
    names: family('LD_.* DYLD_.* GCONV_PATH GETCONF_DIR GLIBC_TUNABLES LOCPATH NLSPATH'),
  },
  shell: {
    reason: 'makes shells run its value, or code from the place that it names',
    names:
      family(`BASHOPTS BASH_ENV BASH_FUNC_.* BASH_LOADABLES_PATH ENV FPATH IFS INPUTRC MAILPATH MODULE_PATH
      FISH_(?:FUNCTION|COMPLETE)_PATH NULLCMD PROMPT PROMPT2 PROMPT3 PROMPT4 PROMPT_COMMAND PS[0-4] READNULLCMD
      RPROMPT RPROMPT2 RPS1 RPS2 SHELLOPTS SPROMPT ZDOTDIR`),
  },
  search: {
    reason: 'decides which programs are found, or which shell runs commands',
    names: family('PATH PATHEXT CDPATH COMSPEC SHELL EXECIGNORE'),
  },
  home: {
    reason: 'decides which settings files programs read, and these can run commands',
    names: family('HOME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA XDG_.*'),
  },
  python: {
    reason: 'makes Python load code',
    names:
      family(`PYTHON.* PIP_.* UV_.* VIRTUAL_ENV CONDA_.* PYTEST_ADDOPTS PYTEST_PLUGINS GUNICORN_CMD_ARGS IPYTHONDIR
      JUPYTER_.* MPLBACKEND PYSPARK_(?:DRIVER_)?PYTHON PYSPARK_DRIVER_PYTHON_OPTS PYSPARK_SUBMIT_ARGS PIPENV_PIPFILE
      PYENV_ROOT`),
  },
  node: {
    reason: 'makes Node.js or a package manager load code',
    names: family(
      `NODE_OPTIONS NODE_PATH NODE_COMPILE_CACHE NODE_REPL_.* NPM_CONFIG_.* YARN_.* PNPM_.* COREPACK_.* BUN_.* DENO_.*
      TS_NODE_.* ESBUILD_BINARY_PATH BIOME_BINARY NAPI_RS_NATIVE_LIBRARY_PATH PRISMA_.*_(?:BINARY|LIBRARY)
      PUPPETEER_EXECUTABLE_PATH PLAYWRIGHT_BROWSERS_PATH CHROME_(?:BIN|PATH) CYPRESS_(?:RUN|INSTALL)_BINARY
      ELECTRON_.*`,
    ),
  },
  java: {
    reason: 'makes Java or .NET load code, or open a port for a debugger',
    names:
      family(`CLASSPATH JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS (?:.*_)?JAVA_OPTS(?:_.*)? JAVACMD
      .*_JVM_(?:ARGS|OPTIONS|OPTS) JVM_ARGS JMX_PORT JPDA_.* NATIVE_IMAGE_OPTIONS ANT_ARGS CATALINA_BASE
      MAVEN_(?:OPTS|ARGS|DEBUG_.*|PROJECTBASEDIR) MVNW_REPOURL GRADLE_(?:OPTS|USER_HOME)
      (?:ANT|CATALINA|GRADLE|GROOVY|HADOOP|HBASE|HIVE|JAVA|JBOSS|JDK|JRE|KAFKA|KOTLIN|M2|MAVEN|SCALA|SPARK)_HOME
      SPARK_(?:CONF_DIR|CLASSPATH|SUBMIT_.*|.*_OPTS) HADOOP_CONF_DIR KAFKA_.*_OPTS
      DOTNET_(?:DIAGNOSTICPORTS|GCNAME|GCPATH|SHARED_STORE|HOST_PATH) MSBUILD(?:_EXE_PATH|SDKSPATH) NUGET_.*PLUGIN_PATHS
      DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_ROOT.* CORECLR_.* COR_PROFILER.*
      COR_ENABLE_PROFILING COMPLUS_.*
      .*JAVA.*OPTIONS
      (?:SBT|ANT|CATALINA|JRUBY|LEIN_JVM|JVM|KAFKA|SPARK_SUBMIT|ES_JAVA|HADOOP.*|GROOVY|SCALA)_OPTS
      PSMODULEPATH
      HADOOP_CLASSPATH ASPNETCORE_HOSTINGSTARTUPASSEMBLIES`),
  },
  languages: {
    reason: 'makes a language load code',
    names:
      family(`PERL5.* PERLLIB PERL_.* RUBY(?:LIB|OPT|SHELL|_.*) GEM_.* BUNDLE_.* LUA_.* PHPRC PHP_INI_SCAN_DIR
       XDEBUG_.* GOFLAGS
      GOAUTH GOCACHEPROG GOWORK GOPATH GOBIN GOMODCACHE GOVCS GOPRIVATE GONOPROXY GOPROXY GOENV GOROOT GOTOOLCHAIN
      GOSUMDB GONOSUMDB GOINSECURE RUSTUP_.* RUSTC_WRAPPER
      RUSTC_WORKSPACE_WRAPPER RUSTFLAGS RUSTC RUSTDOC CARGO_.* R_PROFILE.*
      R_ENVIRON.* R_LIBS.* R_HOME OCAMLPATH CAML_LD_LIBRARY_PATH GHC_PACKAGE_PATH
      MIX_(?:HOME|EXS|ARCHIVES|PATH|REBAR3?) LUAROCKS_CONFIG ERL_.* ELIXIR_ERL_OPTIONS GUILE_.* TCLLIBPATH
      TCL_LIBRARY AWKPATH AWKLIBPATH JULIA_.*
      OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES`),
  },
  git: {
    reason: 'makes git run commands or use other settings',
    // Author and committer are plain data, and common.
    names: family('GIT_(?!(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$).*'),
  },
  tools: {
    reason: 'names a command that other programs run, or options that run one',
    names: family(`.*PAGER LESS LESSOPEN LESSCLOSE LESSKEY.* .*EDITOR .*_DIFF VISUAL BROWSER SSH_ASKPASS
      SSH_ASKPASS_REQUIRE SSH_AUTH_SOCK SUDO_ASKPASS MANOPT MANPATH TAR_OPTIONS RSYNC_RSH RSYNC_PROXY
      RSYNC_CONNECT_PROG CVS_RSH SVN_SSH
      HGRCPATH HG_.* VIMINIT EXINIT MYVIMRC VIMRUNTIME EMACSLOADPATH TERMINFO TERMINFO_DIRS TERMCAP GREP_OPTIONS
      GROFF_(?:COMMAND_PREFIX|BIN_PATH) SSH_SK_(?:HELPER|PROVIDER) SSH_PKCS11_HELPER SYSTEM_WGETRC
      RIPGREP_CONFIG_PATH GNUPGHOME
      SCREENRC FCEDIT VIM NVIM_.* GTK.*_MODULES GTK_PATH GTK_EXE_PREFIX QT_.*PLUGIN_PATH QML2?_IMPORT_PATH
      GIO_(?:EXTRA_MODULES|MODULE_DIR)
      GDK_PIXBUF_MODULE_FILE GST_PLUGIN_.* VK_(?:ICD_FILENAMES|(?:ADD_)?(?:DRIVER_FILES|LAYER_PATH))
      LIB(?:GL|VA)_DRIVERS_PATH CUDA_INJECTION64_PATH DBUS_.*_BUS_ADDRESS ANSIBLE_.*
      TF_CLI_.* TERRAFORM_CONFIG PACKER_CONFIG PACKER_PLUGIN_PATH VAGRANT_(?:HOME|CWD|VAGRANTFILE|DOTFILE_PATH)
      AZURE_EXTENSION_DIR HELM_(?:PLUGINS|(?:CONFIG|DATA)_HOME) KREW_ROOT
      CLOUDSDK_(?:PYTHON.*|CONFIG) AWS_(?:CONFIG_FILE|SHARED_CREDENTIALS_FILE|DATA_PATH) BOTO_CONFIG AZURE_CONFIG_DIR
      OCI_CLI_(?:CONFIG|RC)_FILE GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES BUILDX_CONFIG CONTAINERS_CONF.*
      CONTAINER_HOST
      GS_(?:OPTIONS|LIB) MAGICK_(?:CONFIGURE_PATH|HOME|CODER_(?:MODULE|FILTER)_PATH|FILTER_MODULE_PATH)
      (?:GDAL_|GDAL_PYTHON_|OGR_)DRIVER_PATH GDAL_(?:CONFIG_FILE|VRT_ENABLE_PYTHON) BABL_PATH GEGL_PATH FREI0R_PATH
      (?:OMPI|OPAL|ORTE|PMIX|PRTE)_(?:MCA_.*|PREFIX) .*HYDRA_(?:LAUNCHER|BOOTSTRAP)_EXEC OMP_TOOL_LIBRARIES ACC_PROFLIB
      NVTX_INJECTION64_PATH NCCL_.*_PLUGIN HSA_TOOLS_LIB ROCP_TOOL_LIB(?:RARIES)? OCL_ICD_(?:VENDORS|FILENAMES)
      OPENCL_LAYERS SASL_(?:CONF_)?PATH GSS_MECH_CONFIG LDAPRC LDAPCONF SQLPATH ORACLE_PATH
      LADSPA_PATH LV2_PATH VST3?_PATH ALSA_(?:PLUGIN_DIR|CONFIG_.*) SPA_PLUGIN_DIR PIPEWIRE_MODULE_DIR
      __EGL_VENDOR_LIBRARY_.* GBM_BACKENDS_PATH ODBCINI ODBCSYSINI LIBMYSQL_PLUGIN.*
      MYSQL_HOME KRB5_CONFIG
      PSQLRC PGSERVICEFILE PGSYSCONFDIR FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS.* WGETRC CURL_HOME
      COMPOSE_FILE DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT KUBECONFIG TMPDIR`),
  },
  build: {
    reason: 'gives a build tool options or programs to run',
    // The default variables of make, those that its rules use, and those of other tools.
    names:
      family(`MAKE(?:|FLAGS|FILES|SHELL|INFO|_COMMAND|_HOST|_VERSION) GNUMAKEFLAGS AR AS CC CO CPP CTANGLE CWEAVE CXX
       F77 FC GET LD LEX LINT M2C OBJC
      OUTPUT_OPTION PC RM SUFFIXES TANGLE TEX TEXI2DVI WEAVE YACC
      (?:AR|AS|C|CO|CPP|CXX|F77|F|G|L|LD|LINT|M|P|R|Y)FLAGS
      LDLIBS LOADLIBES CMAKE_.* COMPILER_PATH GCC_EXEC_PREFIX CONFIG_SHELL CONFIG_SITE PKG_CONFIG.*`),
  },
  keyferry: {
    reason: 'changes which server and credential Keyferry uses, or what it believes',
    names: family('KEYFERRY_.*'),
  },
  proxy: {
    reason: 'sends the traffic of programs through another server',
    names: family('PROXY .*_PROXY'),
  },
  tls: {
    reason: 'decides which servers TLS trusts, or writes its keys to a file',
    names:
      family(`NODE_TLS_REJECT_UNAUTHORIZED NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE
      CURL_CA_BUNDLE AWS_CA_BUNDLE PERL_LWP_SSL_.* HTTPS_CA_.* SSLKEYLOGFILE
      GRPC_DEFAULT_SSL_ROOTS_FILE_PATH`),
  },
} as const satisfies Record<string, NameFamily>

export type FamilyName = keyof typeof NAME_FAMILIES

const IN_ORDER: readonly NameFamily[] = Object.values(NAME_FAMILIES)
const REASONS = new Map(
  IN_ORDER.toReversed().flatMap(({ names, reason }) =>
    names.filter((name) => !isExpression(name)).map((name) => [name, reason] as const),
  ),
)
// Most names are harmless. One expression that none of them matches takes a fraction of the time of one for each
// family.
const ANY_EXPRESSION = whole(IN_ORDER.flatMap(({ names }) => names.filter(isExpression)))

/** Why a variable of this name is dangerous, as the end of a sentence; null if it is not. */
export function whyDangerous(name: string): string | null {
  const upper = name.toUpperCase()
  const reason = REASONS.get(upper)
  if (reason !== undefined) return reason
  if (!ANY_EXPRESSION.test(upper)) return null
  return IN_ORDER.find(({ names }) => whole(names.filter(isExpression)).test(upper))?.reason ?? null
}

function family(names: string): readonly string[] {
  return names.split(/\s+/)
}

function isExpression(name: string): boolean {
  return /\W/.test(name)
}

function whole(expressions: readonly string[]): RegExp {
  return new RegExp(`^(?:${expressions.join('|')})$`)
}
