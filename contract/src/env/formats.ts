import type { Format } from './format.ts'
import type { FormatName } from './format-names.ts'
import { compose } from './formats/compose.ts'
import { docker } from './formats/docker.ts'
import { dotenv } from './formats/dotenv.ts'
import { fish } from './formats/fish.ts'
import { githubActions } from './formats/github-actions.ts'
import { json } from './formats/json.ts'
import { powershell } from './formats/powershell.ts'
import { sh } from './formats/sh.ts'
import { systemd } from './formats/systemd.ts'

/** Every format of `keyferry pull`. */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  sh,
  fish,
  '.env': dotenv,
  json,
  powershell,
  docker,
  compose,
  systemd,
  'github-actions': githubActions,
}
