const OPEN_PARTS = new Set(
  'PORT HOST HOSTNAME DOMAIN ENV NODE_ENV DEBUG LEVEL REGION ZONE LOCALE LANG TZ TIMEZONE NAME USER USERNAME MODE VERSION ENABLED DISABLED TIMEOUT LIMIT COUNT SIZE PATH DIR BUCKET STAGE'.split(
    ' ',
  ),
)
const SECRET_PARTS =
  /(?:^|_)(?:SECRET|SECRETS|TOKEN|PASSWORD|PASSWD|PASS|PWD|KEY|KEYS|CREDENTIALS?|PRIVATE|SALT|PEPPER|AUTH|SIGNATURE|CERT|DSN|APIKEY|WEBHOOK)(?:_|$)/
const SECRET_VALUE = /:\/\/[^/\s:@]+:[^/\s@]+@|-----BEGIN [A-Z ]*PRIVATE KEY-----/

/** Guess from a key's name, and from what its value plainly is, whether it is secret. In doubt it is. An address often
 * has a token in its path, so it is not guessed to be open. The guess is only offered: a person decides. */
export function looksSecret(name: string, value: string): boolean {
  const upper = name.toUpperCase()
  if (SECRET_PARTS.test(upper) || SECRET_VALUE.test(value)) return true
  const parts = upper.split('_')
  const isConnection = /(?:DATABASE|DB|REDIS|MONGO|POSTGRES|MYSQL|AMQP|BROKER|SMTP)/.test(upper)
  const isPublic = parts.includes('PUBLIC')
  return !isPublic && (isConnection || !OPEN_PARTS.has(parts.at(-1) ?? ''))
}
