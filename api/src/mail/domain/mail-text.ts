import type { MailKind } from '@keyferry/contract/mail'

/** What a mail says. `link`: a path of the pages. */
export type MailContent = { lines: readonly string[]; link: { label: string; path: string } }

export type MailText = { subject: string; text: string; html: string }

/** Constant: a list of mails shows no name that a person chose. */
const SUBJECTS: Readonly<Record<MailKind, string>> = {
  invitation: 'You are invited to a Keyferry workspace',
  waiting: 'Somebody waits for your approval',
  key_expires: 'Values expire soon',
  signed_in: 'New sign-in to your Keyferry account',
  remembered: 'An approval in your name is remembered',
  proof: 'Prove your address for Keyferry',
  account: 'Your Keyferry account changed',
}

const ENDS: Partial<Record<MailKind, string>> = {
  invitation: 'If you do not know this workspace, ignore this mail.',
  proof: 'If you have no account there, ignore this mail.',
  account: 'You cannot switch these mails off.',
}

const NAME_LENGTH = 60

/** A name that a person chose: on one line, short and quoted. Spaces keep mail programs from making a link of it. */
export function quoted(name: string): string {
  const visible = name
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
    .replace(/[.。．｡:\\](?=\S)/gu, '$& ')
  const short = visible.length > NAME_LENGTH ? `${visible.slice(0, NAME_LENGTH)}…` : visible
  return `“${short.replaceAll(/[“”"]/g, "'")}”`
}

/** The text of a mail, plain and as HTML. */
export function mailText(kind: MailKind, { lines, link }: MailContent, publicUrl: string): MailText {
  const url = publicUrl + link.path
  const end = ENDS[kind] ?? `Switch these mails off: ${publicUrl}/account`
  const paragraphs = lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')
  return {
    subject: SUBJECTS[kind],
    text: `${[...lines, `${link.label}: ${url}`, end].join('\n\n')}\n`,
    html: `${paragraphs}\n<p><a href="${escaped(url)}">${escaped(link.label)}</a></p>\n<p>${escaped(end)}</p>\n`,
  }
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
